/** What is known of implementations that do not keep a contract wholly. */
import { afterAll, afterEach, beforeEach, expect, type RunnerTestSuite } from 'vitest';

/**
 * The cases that an implementation is known to fail, each with what it does instead: a part of the failure's message. A case
 * that is named here must fail in exactly that way.
 */
export type Deviations = Record<string, { fails: string; because: string }>;

const namesIn = ({ tasks }: RunnerTestSuite): string[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? namesIn(task) : [task.name]));

/** Within a contract's `describe`. */
export const expectDeviations = (deviations: Deviations): void => {
  const others: string[] = [];
  let names: string[] = [];
  beforeEach(({ task }) => {
    names = namesIn(task.file);
    if (deviations[task.name]) Object.assign(task, { fails: true });
  });
  afterEach(({ task }) => {
    const known = deviations[task.name];
    const message = task.result?.errors?.[0]?.message ?? 'nothing failed';
    if (known && !message.includes(known.fails)) others.push(`${task.name}: ${message}, not: ${known.fails}`);
  });
  afterAll(() => {
    const unknown = Object.keys(deviations).filter((name) => !names.includes(name));
    expect([...others, ...unknown.map((name) => `there is no case "${name}"`)]).toEqual([]);
  });
};
