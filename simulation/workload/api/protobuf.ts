/**
 * Converts protobuf bodies of a workload cluster's clients to JSON before the server reads them.
 */
import { ApiError } from '../../../machinery/api/errors.ts';
import { decodeProtobuf } from '../../../machinery/server/protobuf.ts';
import {
  deleteOptions,
  type FindMessage,
  messageOf,
  metadata,
  type ProtoField,
  type ProtoMessage,
} from '../../../machinery/server/protobuf-messages.ts';
import { failureResponse } from '../../../machinery/server/status.ts';
import { messageKinds, messageTable } from './messages.ts';

const messages = new Map<string, ProtoMessage>();

const scalars: Record<string, ProtoField['type']> = {
  s: 'string',
  i: 'integer',
  b: 'boolean',
  y: 'bytes',
  t: 'time',
  u: 'microTime',
  q: 'quantity',
  n: 'intOrString',
  m: 'stringMap',
  M: 'quantityMap',
  j: 'json',
};

const fieldOf = (name: string, text: string): ProtoField => {
  if (text === '$ObjectMeta') return metadata;
  const [, mark = '', type = '', optional] = /^([@^]?)(.+?)(\*?)$/.exec(text) ?? [];
  const repeated = mark === '@' && { repeated: true };
  const scalar = scalars[type];
  if (scalar) return { name, type: scalar, ...repeated, ...(optional && { optional: true }) } as ProtoField;
  const message = () => (type === '$DeleteOptions' ? deleteOptions : (messages.get(type) ?? {}));
  return { name, type: 'message', message, ...repeated, ...(mark === '^' && { inline: true }) };
};

for (const line of messageTable.trim().split('\n')) {
  const [name = '', ...fields] = line.split(' ');
  const message: ProtoMessage = {};
  for (const field of fields) {
    const [of = '', number = '', type = ''] = field.split(':');
    message[Number(number)] = fieldOf(of, type);
  }
  messages.set(name, message);
}
const kinds = new Set(messageKinds);

const find: FindMessage = (apiVersion, kind) =>
  messageOf(apiVersion, kind) ?? (kinds.has(`${apiVersion}/${kind}`) ? messages.get(kind) : undefined);

/** Whether clients may send objects of the kind as protobuf. */
export const isReadAsProtobuf = (apiVersion: string, kind: string): boolean => find(apiVersion, kind) !== undefined;

const protobuf = 'application/vnd.kubernetes.protobuf';

/** The same request with a JSON body; a Response when the body cannot be decoded. */
export const withJsonBody = async (request: Request): Promise<Request | Response> => {
  if (!request.headers.get('content-type')?.startsWith(protobuf)) return request;
  try {
    const bytes = new Uint8Array(await request.arrayBuffer());
    const headers = new Headers(request.headers);
    headers.set('content-type', 'application/json');
    headers.delete('content-length');
    const body = bytes.length > 0 ? JSON.stringify(decodeProtobuf(bytes, find)) : null;
    return new Request(request.url, { method: request.method, headers, body, signal: request.signal });
  } catch (error) {
    if (error instanceof ApiError) return failureResponse(error);
    throw error;
  }
};
