import type { World } from './world.ts';

/** Flips a byte in the middle of a stored file. */
export const damage = async ({ files }: Pick<World, 'files'>, location: string): Promise<void> => {
  const parts: Uint8Array[] = [];
  for await (const part of (await files.get(location)) ?? []) parts.push(part);
  const bytes = Buffer.concat(parts);
  bytes[bytes.length >> 1]! ^= 0xff;
  await files.delete(location);
  await files.put(location, ReadableStream.from([bytes]));
};
