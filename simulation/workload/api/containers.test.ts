import { expect, it } from 'vitest';
import { ApiError } from '../../../machinery/api/errors.ts';
import type { Call } from '../../../machinery/server/call.ts';
import { containersOf } from './containers.ts';

const asked = async (pod: object | undefined) => {
  const call = { server: { store: { get: async () => pod } } } as unknown as Call;
  try {
    await containersOf('Pod', 'logs').handle(call, { namespace: 'default', name: 'p' }, undefined);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message] as const;
    throw error;
  }
};

it.each([
  { rule: 'a Pod that does not exist is not found', pod: undefined, code: 404, says: /"p" not found/ },
  { rule: 'a Pod without a Node has no host', pod: { spec: {} }, code: 400, says: /does not have a host assigned/ },
  {
    rule: 'a Pod of a simulated machine has no containers',
    pod: { spec: { nodeName: 'n' } },
    code: 501,
    says: /^pod p has no logs: the machines of this cluster are simulated and run no containers$/,
  },
])('$rule', async ({ pod, code, says }) => expect(await asked(pod)).toEqual([code, expect.stringMatching(says)]));
