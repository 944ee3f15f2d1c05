/**
 * What keeps an object from its next step, at the end of a condition message, as upstream words it:
 * operations repeat it.
 */
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';

export const because = ' is blocked because:';

export const blocked = (what: string, obstacles: readonly string[]): string =>
  obstacles.length > 0 ? `${what}${because}\n${obstacles.map((why) => `* ${why}`).join('\n')}` : what;

/** Adds obstacles to a message, which may end with others. */
export const alsoBlocked = (message = '', obstacles: readonly string[]): string => {
  if (message.includes(because)) return [message, ...obstacles.map((why) => `* ${why}`)].join('\n');
  return blocked(message === '' ? 'The next step' : `${message}\nThe next step`, obstacles);
};

/** The lines after the last `is blocked because`. */
export const obstaclesIn = (message = ''): string[] => {
  const [, ...parts] = message.split(`${because}\n`);
  return parts.at(-1)?.split('\n') ?? [];
};

/** The obstacles that an object's conditions name. */
export const obstaclesOf = ({ status }: KubeObject): string[] => {
  const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] };
  return [...new Set(conditions.flatMap(({ message }) => obstaclesIn(message)))];
};
