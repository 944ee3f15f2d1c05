/** Built-in objects in protobuf, as older clients send them: empty fields are written too. */

const text = (value: string) => Buffer.from(value);
const field = (number: number, bytes: Uint8Array): Buffer => {
  if (bytes.length > 127) throw new Error('lengths over 127 bytes are not supported');
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
};
const number = (of: number, value: number): Buffer => Buffer.from([of << 3, value]);
const pair = ([key, value]: [string, string]): Buffer => Buffer.concat([field(1, text(key)), field(2, text(value))]);

/** Encodes a ConfigMap; each text must be short. */
export const configMapInProtobuf = (
  { name, labels = {} }: { name: string; labels?: Record<string, string> },
  data: Record<string, string>,
): Uint8Array => {
  const empty = { generateName: 2, namespace: 3, selfLink: 4, uid: 5, resourceVersion: 6 };
  const generation = number(7, 0);
  const metadata = Buffer.concat([
    field(1, text(name)),
    ...Object.values(empty).map((of) => field(of, text(''))),
    generation,
    ...Object.entries(labels).map((one) => field(11, pair(one))),
  ]);
  const object = Buffer.concat([field(1, metadata), ...Object.entries(data).map((one) => field(2, pair(one)))]);
  const typeMeta = Buffer.concat([field(1, text('v1')), field(2, text('ConfigMap'))]);
  return Buffer.concat([text('k8s\0'), field(1, typeMeta), field(2, object), field(3, text('')), field(4, text(''))]);
};
