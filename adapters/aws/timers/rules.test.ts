import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { beforeEach, expect, it } from 'vitest';
import { answering, refusing, type Sent } from '../service/answers.fixture.ts';
import { rules } from './rules.ts';

let states: Record<string, string>;
let sent: Sent[];
let refusal: string | undefined;

const open = (names: string[]) => {
  const answered = answering(({ operation, body }) => {
    const name = body.Name as string;
    if (refusal !== undefined) return refusing(refusal);
    if (states[name] === undefined) return refusing('ResourceNotFoundException');
    if (operation !== 'DescribeRule') states[name] = operation === 'EnableRule' ? 'ENABLED' : 'DISABLED';
    return { body: { Name: name, State: states[name] }, headers: { 'content-type': 'application/x-amz-json-1.1' } };
  });
  sent = answered.sent;
  return rules({ client: new EventBridgeClient(answered.config), names });
};
const operations = () => sent.map(({ operation, body }) => `${operation} ${body.Name}`);

beforeEach(() => {
  states = { a: 'DISABLED', b: 'ENABLED' };
  refusal = undefined;
});

it('switches every rule, whatever state it reports', async () => {
  await open(['a', 'b']).enable();
  expect([states, operations()]).toEqual([{ a: 'ENABLED', b: 'ENABLED' }, ['EnableRule a', 'EnableRule b']]);
  await open(['a', 'b']).disable();
  expect(states).toEqual({ a: 'DISABLED', b: 'DISABLED' });
});

it('repairs only rules in the wrong state', async () => {
  await open(['a', 'b']).keep(true);
  expect(operations()).toEqual(['DescribeRule a', 'DescribeRule b', 'EnableRule a']);
});

it('skips a deleted rule: its events are hints, and waking must not wait for it', async () => {
  const all = open(['gone', 'a']);
  await all.enable();
  await all.keep(true);
  await all.disable();
  expect(states.a).toBe('DISABLED');
});

it('says what to do about any other error', async () => {
  refusal = 'AccessDeniedException';
  await expect(open(['a']).enable()).rejects.toMatchObject({
    message: expect.stringContaining('the rule a refused events:EnableRule'),
  });
});
