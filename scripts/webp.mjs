/** Turns a PNG picture into a smaller WebP one, by a page of a browser: for the pictures of the documentation. */
export async function webp(page, png) {
  const source = `data:image/png;base64,${png.toString("base64")}`;
  const address = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = data;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9);
  }, source);
  return Buffer.from(address.split(",")[1], "base64");
}
