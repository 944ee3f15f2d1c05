/** The rest of a list that was asked for in pages: one stored snapshot, so that all pages show one position. */
import { badRequest, expired } from '../api/errors.ts';
import type { Attribute, Item } from '../ports.ts';
import { objectOf } from './body.ts';
import type { StoreContext } from './context.ts';
import { queryAll } from './indexes.ts';
import { expiry, snapshotPartition, versionOf } from './items.ts';
import { times } from './rules.ts';
import { steadily } from './steady.ts';
import type { Listing } from './store.ts';

/** Bytes of bodies in one item. */
const largestChunk = 250_000;

interface Token {
  id: string;
  /** Index of the next object in the snapshot. */
  next: number;
  total: number;
  position: number;
}
type State = { [attribute: string]: Attribute | undefined };

const encodeToken = (token: Token): string => Buffer.from(JSON.stringify(token)).toString('base64url');
const isToken = (value: unknown): value is Token => {
  const { id, next, total, position } = (value ?? {}) as Partial<Token>;
  return typeof id === 'string' && [next, total, position].every(Number.isSafeInteger);
};
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
const decodeToken = (text: string): Token => {
  const value = parse(Buffer.from(text, 'base64url').toString());
  if (!isToken(value)) throw badRequest('continue key is not valid');
  return value;
};

const lost = () =>
  expired(
    'The provided continue parameter is too old to display a consistent list result. Start a new list without it.',
  );

const stateOf = (item: Item): State => {
  const { namespace, name, uid, body, chunks } = item;
  return { n: versionOf(item), namespace, name, uid, ...(chunks === undefined ? { body } : { chunks }) };
};
const sizeOf = ({ body }: Item) => 300 + (body instanceof Uint8Array ? body.length : 0);

/** Keeps the states for some minutes, in items sorted by the index of their first, and returns the continue token. */
export const storePages = async (
  context: StoreContext,
  list: string,
  position: number,
  states: Item[],
): Promise<string> => {
  const { clock, random, table } = context;
  const id = random.uuid();
  const ttl = expiry(clock.now(), times.snapshotRetention);
  const put = (start: number, group: Item[]) =>
    steadily(context, () =>
      table.write({ put: { pk: snapshotPartition(list, id), sk: start, states: group.map(stateOf), ttl } }),
    );
  let start = 0;
  let size = 0;
  for (let index = 0; index < states.length; index++) {
    size += sizeOf(states[index]!);
    if (size > largestChunk && index > start) {
      await put(start, states.slice(start, index));
      start = index;
      size = sizeOf(states[index]!);
    }
  }
  await put(start, states.slice(start));
  return encodeToken({ id, next: 0, total: states.length, position });
};

export const pageOf = async (
  context: StoreContext,
  type: string,
  list: string,
  text: string,
  limit: number | undefined,
): Promise<Listing> => {
  const token = decodeToken(text);
  const pk = snapshotPartition(list, token.id);
  const end = Math.min(token.total, token.next + (limit || token.total));
  const first = await steadily(context, () =>
    context.table.query({ pk, to: token.next, descending: true, limit: 1, consistent: true }),
  );
  const from = first.items[0]?.sk;
  if (from === undefined) throw lost();
  const chunks = await queryAll(context, { pk, from, to: end - 1, consistent: true });
  const now = context.clock.now() / 1000;
  const states = chunks.flatMap((chunk) => chunk.states as State[]);
  const skipped = token.next - (from as number);
  const wanted = states.slice(skipped, skipped + end - token.next);
  if (wanted.length !== end - token.next || chunks.some((chunk) => (chunk.ttl as number) <= now)) throw lost();
  const objects = await Promise.all(
    wanted.map((state) => objectOf(context, type, { pk, sk: state.n as number, ...state })),
  );
  const { position } = token;
  if (end === token.total) return { objects, position };
  return { objects, position, continue: encodeToken({ ...token, next: end }), remaining: token.total - end };
};
