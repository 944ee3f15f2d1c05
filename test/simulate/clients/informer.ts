/**
 * An informer, as controllers and dashboards have one. It loses its connection repeatedly, resumes
 * from its resourceVersion, and lists again only after an expired resourceVersion.
 */
import type { KindDefinition } from '../../../machinery/api/kind.ts';
import { apiVersionOf, resourceOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import type { Dice } from '../dice.ts';
import { Violation } from '../invariants/index.ts';
import type { World } from '../site.ts';
import { eachEvent, type WatchEvent } from './events.ts';
import type { History } from './history.ts';

export interface Informer {
  readonly known: ReadonlyMap<string, KubeObject>;
  /** The number of lists and resumed watches so far. */
  readonly listed: number;
  readonly resumed: number;
  stop(): void;
}

/** Longer than the log keeps events: a resumed watch then fails as expired. */
const longestAway = 7 * 60 * 60_000;
const usuallyAway = 20 * 60_000;

const nameOf = ({ metadata }: KubeObject) => `${metadata.namespace ?? ''}/${metadata.name}`;

/**
 * `isCalm`: the informer stays connected or reconnects soon. `isIdle`: nothing is written, so there
 * is nothing to follow.
 */
export const startInformer = (
  world: World,
  kind: KindDefinition,
  draw: Dice,
  history: History,
  { isCalm, isIdle }: { isCalm: () => boolean; isIdle: () => boolean },
): Informer => {
  const type = resourceOf(kind);
  const known = new Map<string, KubeObject>();
  const version = apiVersionOf(kind.group, kind.versions[0]!.name);
  const path = `${kind.group ? '/apis' : '/api'}/${version}/${kind.plural}`;
  let position: string | undefined;
  let [listed, resumed] = [0, 0];
  let isStopped = false;
  let cut = new AbortController();

  const get = (query: string) => world.watch(new Request(`https://127.0.0.1${path}${query}`, { signal: cut.signal }));

  const list = async () => {
    const response = await get('');
    if (response.status !== 200) return;
    const body = (await response.json()) as { metadata: { resourceVersion: string }; items: KubeObject[] };
    known.clear();
    for (const item of body.items) known.set(nameOf(item), item);
    position = body.metadata.resourceVersion;
    await world.mirror.seen();
    history.listed(type, undefined, Number(position), body.items);
    listed += 1;
  };

  const take = async ({ type: event, object }: WatchEvent): Promise<void> => {
    if (event === 'ERROR') {
      position = undefined;
      return;
    }
    const next = object.metadata.resourceVersion!;
    await world.mirror.seen();
    history.nothingBetween(type, Number(position), Number(next) - (event === 'BOOKMARK' ? 0 : 1));
    if (position !== undefined && Number(next) <= Number(position) && event !== 'BOOKMARK')
      throw new Violation('watches', `${event} of ${nameOf(object)} at ${next} follows ${position}`);
    const before = known.get(nameOf(object));
    if (event === 'ADDED' && before)
      throw new Violation(
        'watches',
        `${nameOf(object)} is reported as added at ${next}, but existed at ${before.metadata.resourceVersion}`,
      );
    if ((event === 'MODIFIED' || event === 'DELETED') && !before)
      throw new Violation('watches', `${nameOf(object)} is reported as ${event} at ${next}, but did not exist`);
    if (event !== 'BOOKMARK') history.answered(object);
    position = next;
    if (event === 'DELETED') known.delete(nameOf(object));
    else if (event !== 'BOOKMARK') known.set(nameOf(object), object);
  };

  const follow = async () => {
    const cutAfter = draw.chance(0.5) ? draw.whole(1, 4) : Number.POSITIVE_INFINITY;
    const cancel = world.clock.after(draw.spread(1_000, 3 * 60_000), () => cut.abort());
    try {
      const response = await get(`?watch=true&allowWatchBookmarks=true&resourceVersion=${position}`);
      if (response.status === 410) position = undefined;
      if (response.status !== 200 || !response.body) return;
      resumed += 1;
      let events = 0;
      await eachEvent(response.body, cut.signal, async (event) => {
        await take(event);
        if (++events < cutAfter && position !== undefined) return 'go on';
        cut.abort();
        return 'enough';
      });
    } finally {
      cancel();
    }
  };

  const run = async () => {
    while (!isStopped) {
      cut = new AbortController();
      try {
        if (position === undefined) await list();
        else await follow();
      } catch (error) {
        if (error instanceof Violation) {
          world.mirror.breaks(error);
          return;
        }
      }
      // An open watch costs a poll each second, so the informer is disconnected most of the time.
      const until = world.clock.now() + (draw.chance(0.03) ? longestAway : 0);
      await sleep(world.clock, draw.spread(100, usuallyAway));
      while (isIdle() || (world.clock.now() < until && !isCalm())) await sleep(world.clock, usuallyAway);
    }
  };
  void run();
  return {
    known,
    get listed() {
      return listed;
    },
    get resumed() {
      return resumed;
    },
    stop: () => {
      isStopped = true;
      cut.abort();
    },
  };
};
