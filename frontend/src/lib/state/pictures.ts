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

/** Reads chosen files beside those that are there already; what is too much is refused whole. */
export async function addPictures(
  had: readonly Picture[],
  files: readonly File[]
): Promise<Picture[] | 'many' | 'large'> {
  if (had.length + files.length > MAX_PICTURES) return 'many';
  const size = [...had, ...files].reduce((sum, one) => sum + one.size, 0);
  if (size > MAX_PICTURE_BYTES) return 'large';
  const read = files.map(async (file) => ({ name: file.name, size: file.size, data: await base64(file) }));
  return [...had, ...(await Promise.all(read))];
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
