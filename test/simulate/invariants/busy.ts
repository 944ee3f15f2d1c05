/** Nothing is looked at over and over again: who has nothing to do, or cannot do it, waits. */
import { type Invariant, type Setting, Violation } from './invariant.ts';

const window = 10 * 60_000;
/** For each cluster that there is: what is put into all of them is looked at whenever one changes. */
const mostEach = 600;

export const busy = ({ world }: Setting): Invariant => {
  const times = new Map<string, number[]>();
  world.onMessage((body) => {
    const { controller, type, namespace, name } = JSON.parse(body) as Record<string, string>;
    const id = `${controller} of ${type} ${namespace}/${name}`;
    const recent = times.get(id) ?? [];
    times.set(id, recent);
    recent.push(world.clock.now());
    if (recent.length <= mostEach) return;
    const most = mostEach * Math.max(1, world.mirror.all('Cluster').length);
    if (recent.length <= most) return;
    const since = world.clock.now() - recent.shift()!;
    if (since < window)
      world.mirror.breaks(new Violation('rests', `${id} was looked at ${most} times in ${Math.round(since / 1000)} s`));
  });
  return {};
};
