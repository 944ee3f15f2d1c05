/**
 * A client that knows what there is by list and watch, as controllers and dashboards do. It is cut off again and again,
 * resumes where it was, and lists anew only when it is told that its place is gone.
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
  /** Lists and resumes so far. */
  readonly listed: number;
  readonly resumed: number;
  stop(): void;
}

/** After so long its place is gone, and it is told so. */
const longestAway = 7 * 60 * 60_000;
const usuallyAway = 20 * 60_000;

const nameOf = ({ metadata }: KubeObject) => `${metadata.namespace ?? ''}/${metadata.name}`;

/** `isCalm`: whether everybody is back soon; `isIdle`: whether nothing happens that anybody would follow. */
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
      throw new Violation('watches', `${event} ${nameOf(object)} at ${next} after ${position}`);
    const before = known.get(nameOf(object));
    if (event === 'ADDED' && before)
      throw new Violation(
        'watches',
        `${nameOf(object)} is added at ${next}, and was there at ${before.metadata.resourceVersion}`,
      );
    if ((event === 'MODIFIED' || event === 'DELETED') && !before)
      throw new Violation('watches', `${nameOf(object)} is ${event} at ${next}, and was not there`);
    if (event !== 'BOOKMARK') history.told(object);
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
      // Somebody who follows costs a look a second: for most of the time he is away.
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
