/** Folder of the built library: its modules are the same files wherever the same build is installed. */
export const LIBRARY_FOLDER = new URL("./", import.meta.url);
