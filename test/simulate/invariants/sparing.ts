/** The queues on which only a look at everything puts work are polled while it takes, and not from one to the next. */
import { type Invariant, type Setting, Violation } from './invariant.ts';

const minute = 60_000;
const apart = 5 * minute;
/** A look takes some minutes, a sweep ends it, and a mapping takes its time to change. One is begun each hour. */
const longest = { undisturbed: 35 * minute, disturbed: 6 * 60 * minute };

export const sparing = ({ world }: Setting): Invariant => {
  const { clock, mirror } = world;
  let since: number | undefined;
  const tick = () => {
    clock.after(apart, tick);
    if (!world.pollsSlowly) {
      since = undefined;
      return;
    }
    since ??= clock.now();
    const limit = world.isDisturbed ? longest.disturbed : longest.undisturbed;
    if (clock.now() - since > limit)
      mirror.breaks(new Violation('sparing', `what few need is polled for ${(clock.now() - since) / minute} minutes`));
  };
  clock.after(apart, tick);
  return {};
};
