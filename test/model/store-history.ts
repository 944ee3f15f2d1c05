/** The contents of the log, including expired slots, and checks of the store's guarantees. */
import { gunzipSync } from 'node:zlib';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Item, ItemKey } from '../../machinery/ports.ts';
import { times } from '../../machinery/store/rules.ts';
import type { WatchItem } from '../../machinery/store/store.ts';
import { Violation } from './explore.ts';

export const type = 'widgets';
/** The time at which every history begins. */
export const start = Date.UTC(2026, 0, 1);

/** The author of a state, and the position of the state it was decided on (0 for none). */
export interface Mark {
  by: string;
  on: number;
}
interface Slot {
  event: 'ADDED' | 'MODIFIED' | 'DELETED' | 'SEAL';
  name: string;
  mark: Mark | undefined;
}

export const markOf = (object: KubeObject): Mark => object.spec as Mark;
const decode = (body: Uint8Array): KubeObject => JSON.parse(gunzipSync(body).toString()) as KubeObject;
const seal: Slot = { event: 'SEAL', name: '', mark: undefined };

/** Name → position and author of the existing objects. */
type State = Map<string, { at: number; by: string }>;
const show = (state: State) =>
  [...state]
    .map(([name, { at, by }]) => `${name}@${at} by ${by}`)
    .sort()
    .join(', ');
const assert = (holds: boolean, message: string) => {
  if (!holds) throw new Violation(message);
};

export interface Answer {
  by: string;
  /** Undefined when it was refused, or the decision was not to write. */
  position: number | undefined;
}

export const createHistory = (now: () => number) => {
  /** In messages, positions count from the beginning of the history. */
  const slots = new Map<number, Slot>();
  const objects: State = new Map();
  const tickets = new Map<number, { owner: string; at: number }>();
  const answers: Answer[] = [];
  const lists: { by: string; position: number; state: State }[] = [];
  const watches: { by: string; from: number; at: number; events: string[]; isRefused: boolean }[] = [];
  /** The position at which the type began. */
  let origin = 0;
  let lastTicket = 0;

  const replay = (upTo: number): State => {
    const state: State = new Map();
    for (const [n, slot] of [...slots].sort(([a], [b]) => a - b)) {
      if (n > upTo || slot.event === 'SEAL') continue;
      const { event, name, mark } = slot;
      const before = state.get(name);
      assert((event === 'ADDED') === !before, `I2: ${event} of ${name} at ${n} on ${before ? 'an object' : 'nothing'}`);
      assert(event === 'DELETED' || mark!.on === (before?.at ?? 0), `I2: ${name} at ${n} was decided on ${mark!.on}`);
      if (event === 'DELETED') state.delete(name);
      else state.set(name, { at: n, by: mark!.by });
    }
    return state;
  };
  const assertFilled = (from: number, to: number, who: string) => {
    for (let n = from + 1; n <= to; n++) assert(slots.has(n), `I4: ${who} passed slot ${n}, which is not filled`);
  };
  const eventsBetween = (from: number, to: number) =>
    [...slots]
      .filter(([n, { event }]) => n > from && n <= to && event !== 'SEAL')
      .sort(([a], [b]) => a - b)
      .map(([n, { event, name }]) => `${event} ${name}@${n}`);

  const onSlot = (item: Item, process: string) => {
    const n = item.sk as number;
    if (item.event === 'SEAL') {
      if (!slots.has(n)) slots.set(n, seal);
      const ticket = tickets.get(n);
      const isEarly = ticket !== undefined && ticket.owner !== process && now() - ticket.at < times.sealWait;
      assert(!isEarly, `I7: ${process} sealed slot ${n} of a writer that was not late`);
      return;
    }
    assert(!slots.has(n), `I4: slot ${n} was filled twice`);
    slots.set(n, {
      event: item.event as Slot['event'],
      name: item.name as string,
      mark: markOf(decode(item.body as Uint8Array)),
    });
  };
  const onObject = (item: Item | ItemKey) => {
    const name = (item.sk as string).split('/').at(-1)!;
    if (!('rv' in item) || item.gone) objects.delete(name);
    else objects.set(name, { at: item.rv as number, by: markOf(decode(item.body as Uint8Array)).by });
  };

  return {
    origin: () => origin,
    /** Called with each item as it is written, or its key when it is deleted. */
    onItem: (item: Item | ItemKey, process: string) => {
      if (item.pk === `h#${type}` && origin === 0) {
        origin = (item as Item).n as number;
        lastTicket = origin;
      }
      if (item.pk === `h#${type}` && 'n' in item && (item.n as number) > lastTicket) {
        lastTicket = item.n as number;
        tickets.set(lastTicket, { owner: process, at: now() });
      }
      if (item.pk.startsWith('l#') && 'event' in item) onSlot(item, process);
      if (item.pk.startsWith('o#')) onObject(item);
    },
    answered: (answer: Answer) => {
      answers.push(answer);
    },
    listed: (by: string, position: number, listed: KubeObject[]) => {
      const state: State = new Map();
      for (const object of listed) {
        state.set(object.metadata.name, { at: Number(object.metadata.resourceVersion), by: markOf(object).by });
      }
      lists.push({ by, position, state });
      assertFilled(origin, position, by);
    },
    watching: (by: string, from: number) => {
      const watch = { by, from, at: from, events: [] as string[], isRefused: false };
      watches.push(watch);
      const deliver = (item: WatchItem) => {
        watch.at = item.position;
        if (item.type !== 'BOOKMARK') watch.events.push(`${item.type} ${item.object.metadata.name}@${item.position}`);
      };
      const refused = () => {
        watch.isRefused = true;
      };
      return { deliver, refused };
    },
    /** The invariants of every moment. */
    check: () => {
      const replayed = show(replay(Number.POSITIVE_INFINITY));
      assert(replayed === show(objects), `I1: the log says ${replayed}; the objects are ${show(objects)}`);
      for (const { by, position, state } of lists) {
        const right = show(replay(position));
        assert(
          show(state) === right,
          `I3: ${by} listed ${show(state) || 'nothing'} at ${position}; it was ${right || 'nothing'}`,
        );
      }
      for (const { by, from, at, events } of watches) {
        assertFilled(from, at, by);
        const right = eventsBetween(from, at).join(', ');
        assert(
          events.join(', ') === right,
          `I5: ${by} got ${events.join(', ') || 'nothing'} in (${from}, ${at}]; it was ${right}`,
        );
      }
      for (const { by, position } of answers) {
        const done = [...slots].filter(([, { mark }]) => mark?.by === by).map(([n]) => n);
        const right = position === undefined ? done.length === 0 : done.length === 1 && done[0] === position;
        assert(right, `I6: ${by} was answered ${position ?? 'a refusal'}; its changes are at [${done}]`);
      }
    },
    /** A watch that still runs at the end has delivered everything up to the first hole. */
    checkEnd: () => {
      let end = origin;
      while (slots.has(end + 1)) end++;
      for (const { by, at, from, isRefused } of watches) {
        if (isRefused) continue;
        const missing = eventsBetween(Math.max(at, from), end);
        assert(missing.length === 0, `I5: ${by} stopped at ${at} and never got ${missing}`);
      }
    },
  };
};
export type History = ReturnType<typeof createHistory>;
