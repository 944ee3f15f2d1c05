import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { beforeEach, expect, it } from 'vitest';
import { answering, refusing, type Sent } from '../service/answers.fixture.ts';
import { schedules } from './schedules.ts';

const target = { Arn: 'arn:aws:lambda:eu-central-1:111122223333:function:sweep', RoleArn: 'arn:aws:iam::1:role/r' };
const schedule = (Name: string) => ({
  Arn: `arn:aws:scheduler:eu-central-1:111122223333:schedule/capstan/${Name}`,
  Name,
  GroupName: 'capstan',
  CreationDate: 1_700_000_000,
  LastModificationDate: 1_700_000_000,
  ScheduleExpression: 'rate(10 minutes)',
  ScheduleExpressionTimezone: 'UTC',
  FlexibleTimeWindow: { Mode: 'OFF' },
  ActionAfterCompletion: 'NONE',
  Description: 'sweeps',
  State: 'DISABLED',
  Target: { ...target, RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } },
});

let stored: Record<string, Record<string, unknown>>;
let sent: Sent[];
const open = (names: string[]) => {
  const answered = answering(({ method, path, body }) => {
    const name = path.split('/').at(-1)!;
    const found = stored[name];
    if (!found) return refusing('ResourceNotFoundException', 404);
    // UpdateSchedule resets every field that the request omits, as the service does.
    if (method === 'PUT') stored[name] = { ...body, Name: name, GroupName: 'capstan' };
    return { body: stored[name] ?? found };
  });
  sent = answered.sent;
  return schedules({ client: new SchedulerClient(answered.config), names, group: 'capstan' });
};

beforeEach(() => {
  stored = { sweep: schedule('sweep'), resync: schedule('resync') };
});

it('enables every schedule and changes nothing else about it', async () => {
  await open(['sweep', 'resync']).enable();
  for (const name of ['sweep', 'resync']) {
    const { Arn, CreationDate, LastModificationDate, ...rest } = schedule(name);
    expect(stored[name]).toMatchObject({ ...rest, State: 'ENABLED' });
  }
});

const states = () => Object.values(stored).map(({ State }) => State);
const updated = () => sent.filter(({ method }) => method === 'PUT').map(({ path }) => path.split('/').at(-1));

it('enables the first schedule first and disables it last, whatever state it reports', async () => {
  const switches = open(['sweep', 'resync']);
  await switches.enable();
  await switches.enable();
  await switches.disable();
  expect(updated()).toEqual(['sweep', 'resync', 'sweep', 'resync', 'resync', 'sweep']);
  expect(states()).toEqual(['DISABLED', 'DISABLED']);
});

it('repairs only disabled schedules', async () => {
  const switches = open(['sweep', 'resync']);
  stored.sweep!.State = 'ENABLED';
  await switches.keep(true);
  expect(updated()).toEqual(['resync']);
  expect(states()).toEqual(['ENABLED', 'ENABLED']);
  await switches.keep(false);
  expect(states()).toEqual(['DISABLED', 'DISABLED']);
});

it('names a schedule that does not exist', async () => {
  await expect(open(['sweep', 'gone']).enable()).rejects.toMatchObject({
    code: 'ResourceNotFoundException',
    message: expect.stringContaining('the schedule capstan/gone is not there'),
  });
});
