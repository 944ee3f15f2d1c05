import { LambdaClient } from '@aws-sdk/client-lambda';
import { beforeEach, expect, it } from 'vitest';
import { virtualClock } from '../../memory/virtual-clock.ts';
import { answering, refusing, type Sent } from '../service/answers.fixture.ts';
import { mappings } from './mappings.ts';

let states: Record<string, string>;
/** How many more updates each mapping refuses. */
let busy: number;
let sent: Sent[];
const clock = virtualClock(0);

const open = (uuids: string[]) => {
  const answered = answering(({ method, path, body }) => {
    const uuid = path.split('/').at(-1)!;
    const State = states[uuid];
    if (!State) return refusing('ResourceNotFoundException', 404);
    if (method !== 'PUT') return { body: { UUID: uuid, State } };
    if (busy > 0) {
      busy--;
      return refusing('ResourceInUseException', 400);
    }
    states[uuid] = body.Enabled ? 'Enabling' : 'Disabling';
    return { status: 202, body: { UUID: uuid, State: states[uuid] } };
  });
  sent = answered.sent;
  return mappings({ client: new LambdaClient(answered.config), uuids, clock });
};
const updates = () => sent.filter(({ method }) => method === 'PUT').length;
/** Advances the clock while the call waits. */
const passing = async <T>(run: Promise<T>): Promise<T> => {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  run.then(end, end);
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(500);
  }
  return run;
};

beforeEach(() => {
  states = { a: 'Disabled', b: 'Disabled' };
  busy = 0;
});

it('switches every mapping, whatever state it reports', async () => {
  const switches = open(['a', 'b']);
  await switches.enable();
  await switches.enable();
  expect([states, updates()]).toEqual([{ a: 'Enabling', b: 'Enabling' }, 4]);
  await switches.disable();
  expect(states).toEqual({ a: 'Disabling', b: 'Disabling' });
});

it('repairs only mappings that are off or turning off', async () => {
  states = { a: 'Disabling', b: 'Enabled', c: 'Disabled', d: 'Enabling' };
  await open(['a', 'b', 'c', 'd']).keep(true);
  expect([states, updates()]).toEqual([{ a: 'Enabling', b: 'Enabled', c: 'Enabling', d: 'Enabling' }, 2]);
  await open(['a', 'b']).keep(false);
  expect([states.a, states.b]).toEqual(['Disabling', 'Disabling']);
});

it('waits for a mapping that is being changed', async () => {
  busy = 3;
  await passing(open(['a']).enable());
  expect([states.a, updates()]).toEqual(['Enabling', 4]);
});

it('gives up waiting after a while', async () => {
  busy = 1000;
  await expect(passing(open(['a']).enable())).rejects.toMatchObject({ code: 'ResourceInUseException' });
});

it('switches the other mappings when one is missing, and names the missing one', async () => {
  await expect(open(['gone', 'b']).enable()).rejects.toMatchObject({
    code: 'ResourceNotFoundException',
    message: expect.stringContaining('the event source mapping gone is not there'),
  });
  expect(states.b).toBe('Enabling');
});
