/**
 * Workflow tasks that wait for an object. Stored beside the object's work items, because task
 * tokens are secrets and must not appear in an object. The key ends in a hash of the token, so that
 * no task overwrites another. A task whose token has expired is ignored, and the table removes it.
 */
import { createHash } from 'node:crypto';
import { keyOf, type ObjectKey } from '../api/object.ts';
import type { Answer, Await } from '../api/reconcile.ts';
import type { Clock, Item, Table, Workflows } from '../ports.ts';

/** Seconds until a task counts as lost and is asked again with a new token. */
export const taskTimeout = 3600;
/** Seconds that a clock may be behind that of the workflows: no token may be forgotten that still works. */
const margin = 300;

export interface AwaitRequest {
  step: string;
  uid: string;
  token: string;
  error?: string;
}

export interface Awaits {
  add(type: string, key: ObjectKey, request: AwaitRequest): Promise<void>;
  of(type: string, key: ObjectKey): Promise<Await[]>;
  /** Reports the results to the workflows, then deletes the tasks. */
  answer(type: string, key: ObjectKey, answers: readonly Answer[]): Promise<void>;
  /** Deletes the tasks of an object whose workflow has ended. */
  forget(type: string, key: ObjectKey): Promise<void>;
}

const partitionOf = (type: string, key: ObjectKey) => `await#${type}#${keyOf(key)}`;
const idOf = (token: string) => createHash('sha256').update(token).digest('hex').slice(0, 32);

const awaitOf = ({ sk, step, uid, error }: Item): Await => ({
  id: String(sk),
  step: String(step),
  uid: String(uid),
  ...(typeof error === 'string' && { error }),
});

/** Tasks of earlier versions have no end and stay until their workflow ends. */
const isOver = ({ ttl }: Item, now: number): boolean => typeof ttl === 'number' && ttl * 1000 <= now;

export interface AwaitsOptions {
  table: Table;
  workflows: Pick<Workflows, 'succeed' | 'fail'>;
  clock: Pick<Clock, 'now'>;
}

export const createAwaits = ({ table, workflows, clock }: AwaitsOptions): Awaits => {
  const itemsOf = async (pk: string): Promise<Item[]> => {
    const items: Item[] = [];
    let page = await table.query({ pk, consistent: true });
    for (;;) {
      items.push(...page.items);
      if (!page.next) return items;
      page = await table.query({ pk, consistent: true, after: page.next });
    }
  };
  const report = (token: string, answer: Answer) =>
    'output' in answer ? workflows.succeed(token, answer.output) : workflows.fail(token, answer.error, answer.cause);
  return {
    add: async (type, key, { token, ...request }) => {
      const ttl = Math.ceil(clock.now() / 1000) + taskTimeout + margin;
      await table.write({ put: { pk: partitionOf(type, key), sk: idOf(token), ...request, token, ttl } });
    },
    of: async (type, key) => {
      const items = await itemsOf(partitionOf(type, key));
      // The table removes expired items only after hours.
      return items.filter((item) => !isOver(item, clock.now())).map(awaitOf);
    },
    answer: async (type, key, answers) => {
      const pk = partitionOf(type, key);
      for (const answer of answers) {
        const item = await table.get({ pk, sk: answer.to }, { consistent: true });
        if (!item) continue;
        await report(String(item.token), answer);
        await table.write({ delete: { pk, sk: answer.to } });
      }
    },
    forget: async (type, key) => {
      const pk = partitionOf(type, key);
      for (const { sk } of await itemsOf(pk)) await table.write({ delete: { pk, sk } });
    },
  };
};
