/** Records of etcd's key space, as its database holds them: mvccpb.KeyValue. */

export interface KeyValue {
  key: Buffer;
  /** Where the key begins in the message. */
  keyAt: number;
  /** Empty if the key is deleted. */
  value: Buffer;
}

const fields = { key: 1, value: 5 };
const lengthDelimited = 2;

/** Undefined if it has no key. Throws a RangeError if it is cut off. */
export const keyValueOf = (message: Buffer): KeyValue | undefined => {
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(message.readUInt8(at++));
      value |= (byte & 127n) << shift;
      if (byte < 128n) return Number(value);
    }
  };
  const found = new Map<number, { start: number; content: Buffer }>();
  while (at < message.length) {
    const tag = varint();
    const length = varint();
    // Revisions, versions and leases are numbers.
    if (tag % 8 !== lengthDelimited) continue;
    found.set(Math.floor(tag / 8), { start: at, content: message.subarray(at, at + length) });
    at += length;
  }
  const key = found.get(fields.key);
  return (
    key && {
      key: key.content,
      keyAt: key.start,
      value: found.get(fields.value)?.content ?? Buffer.alloc(0),
    }
  );
};
