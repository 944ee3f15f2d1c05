/** A zip archive with one uncompressed file. */
import { crc32 } from 'node:zlib';

export const zipOf = (name: string, text: string): Uint8Array => {
  const [path, content] = [Buffer.from(name), Buffer.from(text)];
  // Version, flags, method, time, date (a Tuesday in 1980), checksum, sizes, and the length of the name.
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(0x21, 8);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(content.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, content]);

  const attributes = Buffer.alloc(14);
  attributes.writeUInt32LE(0o100644 * 0x10000, 6);
  const madeBy = Buffer.from([20, 3]);
  const central = Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common, attributes, path]);

  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return new Uint8Array(Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end]));
};
