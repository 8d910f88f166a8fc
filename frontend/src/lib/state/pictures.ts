/** Pictures that go with a message. */

export interface Picture {
  name: string;
  /** base64, as the controller takes it */
  data: string;
  /** bytes */
  size: number;
}

const MAX_PICTURES = 16;
const MAX_PICTURE_BYTES = 40_000_000; // together; a message with them is a third longer

/** Why pictures were not taken. */
export type NoPictures = { why: 'many' | 'large' } | { why: 'unread'; name: string };

/** Reads chosen files, to go beside those that are there already; what is too much, or cannot be read, is refused whole. */
export async function readPictures(
  had: readonly Picture[],
  files: readonly File[]
): Promise<Picture[] | NoPictures> {
  if (had.length + files.length > MAX_PICTURES) return { why: 'many' };
  const size = [...had, ...files].reduce((sum, one) => sum + one.size, 0);
  if (size > MAX_PICTURE_BYTES) return { why: 'large' };
  const read: Picture[] = [];
  for (const file of files) {
    const data = await base64(file).catch(() => undefined);
    if (data === undefined) return { why: 'unread', name: file.name };
    read.push({ name: file.name, size: file.size, data });
  }
  return read;
}

async function base64(file: File): Promise<string> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(',') + 1);
}
