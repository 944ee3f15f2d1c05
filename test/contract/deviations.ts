/** Known deviations of implementations from a contract. */
import { afterAll, afterEach, beforeEach, expect, type RunnerTestSuite } from 'vitest';

/**
 * The tests that an implementation is known to fail, each with a part of the failure message. A listed test
 * must fail in exactly that way.
 */
export type Deviations = Record<string, { fails: string; because: string }>;

const namesIn = ({ tasks }: RunnerTestSuite): string[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? namesIn(task) : [task.name]));

/** Called within a contract's `describe`. */
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
