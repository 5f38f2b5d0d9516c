import type { FileDigest } from "./entry.js";

/** Rows, size and checksum of a file in the catalogue. */
interface FileFacts extends FileDigest {
  readonly rows: number;
  /** Digest of the decompressed text, which a shipped or converted file must match. */
  readonly content?: FileDigest;
}

/** Files that the experiments use, compressed with gzip. Recompression changes `sha256`, but not `content`. */
export const fileFacts: Readonly<Record<string, FileFacts>> = {
  "a1a.test.csv.gz": {
    rows: 30956,
    bytes: 261265,
    sha256: "2052f60195afe4f332eaa3d1d250a060b9ed3ad563992e59a0094219655b54ee",
    content: {
      bytes: 7708557,
      sha256: "22fd1932a38b816a38fb6e9b99ade694ee74c3dfa18aaad1b9d382891347b040",
    },
  },
  "a1a.train.csv.gz": {
    rows: 1605,
    bytes: 14219,
    sha256: "6fcf692aa21957ea1b81f390a6163c6e5e176feb556c19e9b9774a9e7b6cf189",
    content: {
      bytes: 400158,
      sha256: "f12aa5fb07d9663bc70c954aeba4832c1554ef8adb9e034dc451ecfe8f0b70f0",
    },
  },
  "adult.test.csv.gz": {
    rows: 16281,
    bytes: 199143,
    sha256: "669084d5f48f6ceb4ac6ed4df604a9dc20799d29fe62ac475f534eb718282783",
    content: {
      bytes: 1756868,
      sha256: "6fa51ec394e29fe7e0bf9bb4fc53aef332da65e0c7aa2a870ccfa44a906de5c6",
    },
  },
  "adult.train.csv.gz": {
    rows: 32561,
    bytes: 396985,
    sha256: "0c822e8ba8275815bd67e4839acc76631fdc7b30ba9a91b38b29060be699cdd7",
    content: {
      bytes: 3514343,
      sha256: "2aa72ab7a39fa1a827adcf564c1badd03401db48c186f39e3327e1acc951c0c2",
    },
  },
  "breastcancer-libsvm.csv.gz": {
    rows: 683,
    bytes: 5517,
    sha256: "da2a1ba649a202086fe2fa8b3fce237b756df4b6dd170348660d157e28b83cd5",
    content: {
      bytes: 19587,
      sha256: "304f3a1c710b117817c1fe3e0a58514ed17f8c813358053db3db92c893526fa2",
    },
  },
  "breastcancer.csv.gz": {
    rows: 699,
    bytes: 3222,
    sha256: "99a07ca714ad6c1c0ab373c77b15c1887d40fe8e13511978bdd094055bfae148",
    content: {
      bytes: 18818,
      sha256: "92daf5db790df9f0fe746e691cc2887d2ff32d33aee145119eb4781c15e62343",
    },
  },
  "diatoms.test.csv.gz": {
    rows: 1054,
    bytes: 541051,
    sha256: "e58227363fc8777d33bbaf77591a2758900d369715cface3a4ec4d4d50a79d33",
  },
  "diatoms.train.csv.gz": {
    rows: 2065,
    bytes: 1058476,
    sha256: "b3c657a5a88fe0a0c67415d55ed4ad28fc6064997f68290e860b81b1a2a7e658",
  },
  "digits.csv.gz": {
    rows: 1797,
    bytes: 53612,
    sha256: "1c1a2940117e2be87d1503ca8e7c1062e77cb6b8bb3540c711b847fb063440cc",
    content: {
      bytes: 264974,
      sha256: "067c897c3866e1f112d70ccf18ba908a8bc1fbb9ec051530b8ad86070265d299",
    },
  },
  "german-categorical.csv.gz": {
    rows: 1000,
    bytes: 15046,
    sha256: "fd333c573745e099ad3319c2216e03532f813640deee2b171c20bbc5a725bcbe",
  },
  "german.csv.gz": {
    rows: 1000,
    bytes: 9827,
    sha256: "9e950e6d7d150b07e840711715c0c2dcd532aeb3ce857a8a3051740dd163345a",
    content: {
      bytes: 55586,
      sha256: "4e220b504c38c525dc97804281b0a1a59de93b25864b9c20897d24fe8db75eac",
    },
  },
  "imclef07a.test.csv.gz": {
    rows: 1006,
    bytes: 38419,
    sha256: "f961870fe4cf6d35e64ecc4897185511f5a83b23a49244e7feefcee38691953f",
  },
  "imclef07a.train.csv.gz": {
    rows: 10000,
    bytes: 361712,
    sha256: "c30c18d4637ca8aaf64ae2e87a6bb1e80f826707e7a7da002535bf43f3e0350e",
  },
  "imclef07d.test.csv.gz": {
    rows: 1006,
    bytes: 38141,
    sha256: "506847c658636e2f7ca8c851d6c022b519eace3a0c318f10397d8cef1b31dd68",
  },
  "imclef07d.train.csv.gz": {
    rows: 10000,
    bytes: 360106,
    sha256: "f9a552c8d49759a4ec6a74065e0f38800b68d1e6a882001cd1a35ce0754c46cd",
  },
  "ionosphere.csv.gz": {
    rows: 351,
    bytes: 27471,
    sha256: "3837d4acd7f6ec72a2e670c799fdfcf932fab059a3543fde5ef90c3c111af53e",
    content: {
      bytes: 75471,
      sha256: "8b6ab2af211ca95f936e06811c81609df24d498ea8400407d9e94c2c854b3198",
    },
  },
  "iris.csv.gz": {
    rows: 150,
    bytes: 838,
    sha256: "e6f75d579eaa2d6dafa347d241cbfe0478a8bd3d5b18e1cb6342fb755836ed63",
    content: {
      bytes: 3714,
      sha256: "0143e8415cea3e4a1c380e7ce5865cb8d53c40f50e198c4931a3a49b5466903b",
    },
  },
  "isolet.test.csv.gz": {
    rows: 1559,
    bytes: 1903721,
    sha256: "b28bdc1ab14dd685ca10616d3bbf5cbbfc87020e8b0c5b3ee1a5b3b1ab6ed49e",
  },
  "isolet.train.csv.gz": {
    rows: 6238,
    bytes: 7598344,
    sha256: "ff5405776cf856ae6e856dba7d4beb37a81c5cdf4bd24125dc8b58586343df2c",
  },
  "landuse21.csv.gz": {
    rows: 2100,
    bytes: 818542,
    sha256: "443d44532c9a725289df1222ed0c1378058f9bb9b70af9e8bea55f6a60f2c402",
  },
  "leaves100.csv.gz": {
    rows: 1600,
    bytes: 582068,
    sha256: "a4f8479dab72c646ffc1592f11f22f2c696c45e7cdc5fcd8a0a88d1c9884755d",
  },
  "letter.test.csv.gz": {
    rows: 4000,
    bytes: 38736,
    sha256: "352b3e4402f8dfae3fd77fe6eb1ebfe94e8cb5b50c62f537c76321fc2522000a",
    content: {
      bytes: 142595,
      sha256: "831c7cfe9354c70cc8f3d8bf08c091d32303a31d62a9e8d0e90f2411d7c5a571",
    },
  },
  "letter.train.csv.gz": {
    rows: 16000,
    bytes: 149646,
    sha256: "95c6af8667d9da217f9a65aee113f16491a93be6898f5910997cd98800d540be",
    content: {
      bytes: 570172,
      sha256: "727a8774a7e9bdc3deab9ecf33f4191398107d6532a22158b60d6953b2bf93e7",
    },
  },
  "news20.test.csv.gz": {
    rows: 7532,
    bytes: 480333,
    sha256: "85047139dc033d835ce0b756b806271bc72add6dd0814c3eaf085cc61cadd7ca",
  },
  "news20.train.csv.gz": {
    rows: 11314,
    bytes: 728333,
    sha256: "6bf2e1080bbb336a2de688ffa0422de1555244f378f8e876356b368c41528f1b",
  },
  "omniglot8.csv.gz": {
    rows: 4840,
    bytes: 807117,
    sha256: "d8a1de6d3e29d1adf58f78592a33de248b1280038ad990ab6c4067e2fddf02cc",
  },
  "optdigits.test.csv.gz": {
    rows: 1797,
    bytes: 53612,
    sha256: "1c1a2940117e2be87d1503ca8e7c1062e77cb6b8bb3540c711b847fb063440cc",
    content: {
      bytes: 264974,
      sha256: "067c897c3866e1f112d70ccf18ba908a8bc1fbb9ec051530b8ad86070265d299",
    },
  },
  "optdigits.train.csv.gz": {
    rows: 3823,
    bytes: 112745,
    sha256: "9152ffded4ebb5ac7cc928a5bf6f4ffb110116dd6d7f930fc7d6a1edbac32698",
    content: {
      bytes: 563901,
      sha256: "f7637ed1d88110be9ca56ee4efe6653e30ef8ae08aa7a43e708597afc455ee84",
    },
  },
  "pendigits.test.csv.gz": {
    rows: 3498,
    bytes: 59181,
    sha256: "ebcc6a1330d98469f43eb8dfdd179c4d58332a8960ff9bfa07ec0a5b61a967c6",
    content: {
      bytes: 171785,
      sha256: "c5c2f00de4ff488fb6e6659b8ebf90b086575d9edc9c17645facbf6433c3d2c9",
    },
  },
  "pendigits.train.csv.gz": {
    rows: 7494,
    bytes: 125473,
    sha256: "a4ed9525c85bc6407327a6f4d0332aaf57c77072544ef923a68263d61dd549e4",
    content: {
      bytes: 367946,
      sha256: "a2ac381071a9132d57c32668b37eafe93f5bf69794063d2c057441737e73a95a",
    },
  },
  "satimage.test.csv.gz": {
    rows: 2000,
    bytes: 38538,
    sha256: "6e11d9589f31e87b495426b98973c9756537f324a38b7222b9c663b281cb1261",
    content: {
      bytes: 236895,
      sha256: "47a863f7d127be9d9f80b01139e747f0848703b507ae8a65a540b3e73f68b895",
    },
  },
  "satimage.train.csv.gz": {
    rows: 4435,
    bytes: 60047,
    sha256: "6ca7d0b22d43bab6ff6a4bcf6b97979aa55b63b8223dbd3f686d1c423f2b462d",
    content: {
      bytes: 525980,
      sha256: "b1205fdff08c4d802d92081b11edb52819c239cd25e192cc6631ad69a921efaf",
    },
  },
  "splice-uci.csv.gz": {
    rows: 3190,
    bytes: 62401,
    sha256: "f1aab960e6afee8dce335ade6f7a72594316be51e399e545ce83f03854b9b40d",
    content: {
      bytes: 390961,
      sha256: "467d0d328d4cf7df9d91813c8a1176ad507b1cd30b87578662c909adf673da73",
    },
  },
  "splice.test.csv.gz": {
    rows: 2175,
    bytes: 43225,
    sha256: "b2c050be432e8825537f45cc260d553b5c8b3f24b226c7615f5a71f4ac436cc0",
  },
  "splice.train.csv.gz": {
    rows: 1000,
    bytes: 21613,
    sha256: "4f03cc1156b1e7988a66b2b9817ab1466e713ae9e758f7646c43afebff1b09d6",
    content: {
      bytes: 123246,
      sha256: "4e22eeb377dc5bc2b4838c142832bac457257c6cbbc7c3630b4959acebff2c69",
    },
  },
  "usps.test.csv.gz": {
    rows: 2007,
    bytes: 411254,
    sha256: "09e141bb35a739feb3b74206b3cd082a70baf8193051c20fbc97fa246d825e91",
    content: {
      bytes: 2031340,
      sha256: "ad168499d6f5f670e6d503c21ef7e9b24b107feae599e79eeacf7109f5d683ed",
    },
  },
  "usps.train.csv.gz": {
    rows: 7291,
    bytes: 1482386,
    sha256: "7b50e23ab57ece03628a59acd38a1e0da11e6a85eeba990a2a18c95097f37603",
    content: {
      bytes: 7388455,
      sha256: "796839524fcbf0847dc9c1fcd077a28c00afbc18335488aa8455f82cc8342651",
    },
  },
  "vowel.test.csv.gz": {
    rows: 462,
    bytes: 11108,
    sha256: "c838fb2e8d2d260ed6b0e2ef0b5ac34ad9f52c369bfa085cbd5f2b4b5c9bb097",
    content: {
      bytes: 30582,
      sha256: "4027aaeb9144e2087f00dd8223dd4f2f5460aaadaac3c30cbf7cc8fa5ee8d231",
    },
  },
  "vowel.train.csv.gz": {
    rows: 528,
    bytes: 12586,
    sha256: "e993446bb5173a76ec077a7bfe499d24f4bebcd5a5c61512e390ecc85dcc3eeb",
    content: {
      bytes: 34838,
      sha256: "0153006fd324bf9950f865ca692129575fd00a5874cf720a7f0302b2d06382ad",
    },
  },
  "wdbc.csv.gz": {
    rows: 569,
    bytes: 47082,
    sha256: "5b2597611b965dd01bb1aebdcd032ceb57671328e2a770cc4b91f7870a3a736e",
    content: {
      bytes: 123831,
      sha256: "71362059d5860ff8952037b29353b8be3b57c7dca1c0af6b4d627267f02aa14d",
    },
  },
  "wine.csv.gz": {
    rows: 178,
    bytes: 4300,
    sha256: "b484ba124bbd46bc770eb1de5d9612127dc94b16aadd10a46d472bed509e948d",
    content: {
      bytes: 11285,
      sha256: "a4073cc860735cb28199bb6a00cb4f05bdef6556e6f7182db1ab1227c58fa26a",
    },
  },
  "yeast.csv.gz": {
    rows: 1484,
    bytes: 11486,
    sha256: "3c2af4d1ab75deae2e270cb4cb25948f22744e7ceaac98e18969b02ad15ad575",
    content: {
      bytes: 58584,
      sha256: "cf766174a6e3c09f246ecda3bbf11034cea437706bd8aee7eee448660970ef77",
    },
  },
  "mnist/t10k-images-idx3-ubyte.gz": {
    rows: 10000,
    bytes: 1616508,
    sha256: "1a1a05eab793c14bb050b398624a11b0ffd1a2953baed553b1b9bd079e2a20be",
  },
  "mnist/t10k-labels-idx1-ubyte.gz": {
    rows: 10000,
    bytes: 4517,
    sha256: "b91679a0acfe4ba0e50a2437a903084cba1f5f92592b016a25a7dfd00455798b",
  },
  "mnist/train-images-idx3-ubyte.gz": {
    rows: 60000,
    bytes: 9719438,
    sha256: "0b367032e93c5d0cea0925647cfdb18614af8ee15f83e6f2fc2ad904a6835971",
  },
  "mnist/train-labels-idx1-ubyte.gz": {
    rows: 60000,
    bytes: 28857,
    sha256: "1787548bbe0bff1ec2ecdc0ef292b02df999e2d1a6002d27500982c652b17203",
  },
};
