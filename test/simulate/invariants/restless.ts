/** No object is written over and over again: whoever cannot get on waits. */
import { type Invariant, type Setting, Violation } from './invariant.ts';

const window = 10 * 60_000;
const most = 120;

export const restless = ({ world }: Setting): Invariant => {
  const times = new Map<string, number[]>();
  return {
    onCommit: ({ type, namespace, name, writer }) => {
      if (!writer) return;
      const id = `${type} ${namespace}/${name}`;
      const recent = times.get(id) ?? [];
      times.set(id, recent);
      recent.push(world.clock.now());
      if (recent.length <= most) return;
      const since = world.clock.now() - recent.shift()!;
      if (since < window)
        throw new Violation('rests', `${id} was written ${most} times in ${Math.round(since / 1000)} s, by ${writer}`);
    },
  };
};
