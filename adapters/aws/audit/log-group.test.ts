import { CloudWatchLogsClient, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../machinery/server/audit.ts';
import { sdkError } from '../service/sdk-error.fixture.ts';
import { mockedClient } from '../service/sdk-mock.fixture.ts';
import { auditLog } from './log-group.ts';

const logs = mockedClient(CloudWatchLogsClient);
beforeEach(() => logs.reset());

const event = (auditID: string, more: Partial<AuditEvent> = {}) => ({ auditID, ...more }) as AuditEvent;

const open = () => {
  const printed: { message: string; keys?: Record<string, unknown> }[] = [];
  let now = 1000;
  const log = auditLog({
    client: new CloudWatchLogsClient({ region: 'eu-central-1' }),
    logGroupName: 'audit',
    logStreamName: 'api-1',
    clock: { now: () => now++ },
    log: { info: () => undefined, error: (message, keys) => printed.push({ message, ...(keys && { keys }) }) },
    print: (message) => printed.push({ message }),
  });
  return { ...log, printed };
};
const written = () =>
  logs
    .commandCalls(PutLogEventsCommand)
    .map(({ args }) => args[0].input.logEvents!.map(({ message }) => (JSON.parse(message!) as AuditEvent).auditID));

describe('the audit log group', () => {
  it('writes each event once and batches the events that arrive during a call', async () => {
    logs.on(PutLogEventsCommand).resolves({});
    const { audit, written: settled } = open();
    for (const id of ['a', 'b', 'c']) audit(event(id));
    await settled();
    audit(event('d'));
    await settled();
    expect(written()).toEqual([['a'], ['b', 'c'], ['d']]);
    expect(logs.commandCalls(PutLogEventsCommand)[0]!.args[0].input).toMatchObject({
      logGroupName: 'audit',
      logStreamName: 'api-1',
      logEvents: [{ timestamp: 1000 }],
    });
    expect(logs.commandCalls(CreateLogStreamCommand)).toEqual([]);
  });

  it.each([
    { rule: 'creates the log stream with the first event', create: {} },
    { rule: 'continues when the log stream already exists', create: sdkError('ResourceAlreadyExistsException') },
  ])('$rule', async ({ create }) => {
    logs.on(PutLogEventsCommand).rejectsOnce(sdkError('ResourceNotFoundException')).resolves({});
    if (create instanceof Error) logs.on(CreateLogStreamCommand).rejects(create);
    else logs.on(CreateLogStreamCommand).resolves({});
    const { audit, written: settled, printed } = open();
    audit(event('a'));
    await settled();
    expect(written()).toEqual([['a'], ['a']]);
    expect(printed).toEqual([]);
  });

  it('keeps the events when the log group rejects them', async () => {
    logs.on(PutLogEventsCommand).rejects(sdkError('AccessDeniedException'));
    const { audit, written: settled, printed } = open();
    audit(event('a'));
    await expect(settled()).resolves.toBeUndefined();
    expect(printed).toMatchObject([
      { message: 'Audit events not stored in their log group', keys: { logGroup: 'audit' } },
      { message: JSON.stringify(event('a')) },
    ]);
  });

  it('keeps each call within the service limits', async () => {
    logs.on(PutLogEventsCommand).resolves({});
    const { audit, written: settled } = open();
    audit(event('first'));
    const userAgent = 'x'.repeat(500_000);
    for (const id of ['a', 'b', 'c']) audit(event(id, { userAgent }));
    await settled();
    expect(written()).toEqual([['first'], ['a', 'b'], ['c']]);
  });
});
