/**
 * Checks that a task is answered before its token is deleted. Otherwise a crash in between would
 * leave the task waiting forever.
 */
import type { Table, Workflows } from '../../../machinery/ports.ts';
import { Violation } from '../invariants/rule.ts';

const tasks = 'await#';

export interface AnswersOptions {
  work: Table;
  workflows: Workflows;
  breaks: (error: unknown) => void;
}

export interface Answers {
  work: Table;
  workflows: Workflows;
  /** The operation, as `namespace/name`, has ended, so its tasks need no answer. */
  ended(object: string): void;
}

export const createAnswers = ({ work, workflows, breaks }: AnswersOptions): Answers => {
  /** Tokens by the key of their item. */
  const tokens = new Map<string, string>();
  const answered = new Set<string>();
  const over = new Set<string>();
  const keyOf = (pk: unknown, sk: unknown) => `${pk} ${sk}`;
  const expectAnswered = (pk: string, sk: unknown) => {
    const token = tokens.get(keyOf(pk, sk));
    if (token === undefined || answered.has(token) || over.has(pk.slice(pk.lastIndexOf('#') + 1))) return;
    breaks(new Violation('answers', `a task of ${pk.slice(tasks.length)} was deleted before its task was answered`));
  };
  return {
    work: {
      ...work,
      write: (write) => {
        if ('put' in write && String(write.put.pk).startsWith(tasks))
          tokens.set(keyOf(write.put.pk, write.put.sk), String(write.put.token));
        if ('delete' in write && String(write.delete.pk).startsWith(tasks))
          expectAnswered(String(write.delete.pk), write.delete.sk);
        return work.write(write);
      },
    },
    workflows: {
      ...workflows,
      succeed: (token, output) => {
        answered.add(token);
        return workflows.succeed(token, output);
      },
      fail: (token, error, cause) => {
        answered.add(token);
        return workflows.fail(token, error, cause);
      },
    },
    ended: (object) => void over.add(object),
  };
};
