/** Lets a browser save bytes under a name. */
const KEEP_MS = 60_000; // the browser has read its copy long before

export function saveAs(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_MS);
}
