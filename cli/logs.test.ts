import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sdkError } from '../adapters/aws/service/sdk-error.fixture.ts';
import { mockedClient } from '../adapters/aws/service/sdk-mock.fixture.ts';
import { fileLog, logFileOf } from '../local/log-file.ts';
import { functionsNamed, readLogs } from './aws/function-logs.ts';
import type { ApiClient } from './client.ts';
import { linesSince, printLogs } from './logs.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'capstan-logs-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const ignored = { info: () => undefined, error: () => undefined };

describe('the log file of a local control plane', () => {
  it('has timestamps and can be read from a given time', async () => {
    const path = logFileOf(directory);
    const log = fileLog(path, ignored, Date.now);
    log.error('It failed', { Cluster: 'default/c' });
    log.info('It works', {});
    const printed: string[] = [];
    const client = {} as ApiClient;
    await printLogs(client, join(directory, 'kubeconfig'), undefined, { since: 1 }, (text) => printed.push(text));
    expect(printed.map((line) => line.slice(25))).toEqual(['error: It failed Cluster=default/c', 'info: It works']);
    expect(linesSince(readFileSync(path, 'utf8'), Date.now() + 1000)).toEqual([]);
  });

  it('keeps the lines of an entry together', () =>
    expect(
      linesSince(
        '2026-01-01T00:00:00.000Z a\n2026-01-01T00:01:00.000Z b\n  at c\n',
        Date.parse('2026-01-01T00:00:30Z'),
      ),
    ).toEqual(['2026-01-01T00:01:00.000Z b', '  at c']));

  it('is bounded in size', () => {
    const path = logFileOf(directory);
    const log = fileLog(path, ignored, () => 0, 200);
    for (let i = 0; i < 20; i++) log.info(`entry ${i}`, {});
    expect(readFileSync(path, 'utf8').length).toBeLessThanOrEqual(200);
    expect(readFileSync(`${path}.1`, 'utf8').length).toBeLessThanOrEqual(200);
    expect(readFileSync(path, 'utf8')).toContain('entry 19');
  });

  it('does not disturb the control plane when it cannot be written', () => {
    writeFileSync(join(directory, 'file'), '');
    const log = fileLog(join(directory, 'file', 'capstan.log'), ignored, Date.now);
    expect(() => log.info('lost', {})).not.toThrow();
  });

  it.each([
    { rule: 'has no functions to select', name: 'api', says: 'one process' },
    { rule: 'may not exist', name: undefined, says: 'there is no log at' },
  ])('$rule', async ({ name, says }) => {
    const printing = printLogs({} as ApiClient, join(directory, 'kubeconfig'), name, { since: 1 });
    await expect(printing).rejects.toThrow(says);
  });
});

describe('the logs of Lambda functions', () => {
  const deployment = { clusterId: 'blue.1.r', installation: 'blue', account: '1', region: 'r' };
  const logs = mockedClient(CloudWatchLogsClient);
  const client = new CloudWatchLogsClient({ region: 'eu-central-1' });
  beforeEach(() => {
    logs.reset();
    const event = (timestamp: number, message: string) => ({ timestamp, message, eventId: String(timestamp) });
    const of = (name: string, nextToken?: string) =>
      logs.on(FilterLogEventsCommand, { logGroupName: `/capstan/blue/${name}`, ...(nextToken && { nextToken }) });
    of('api').resolves({ events: [event(1, 'one\n')], nextToken: 'more' });
    of('api', 'more').resolves({ events: [event(3, 'three\n')] });
    of('watch').resolves({ events: [event(2, 'two\n')] });
    of('guard').rejects(sdkError('ResourceNotFoundException'));
    of('sweep').rejects(sdkError('AccessDeniedException'));
  });

  it('are merged by time, complete, and empty for a function that never ran', async () => {
    const lines = await readLogs(client, deployment, ['api', 'watch', 'guard'], 0);
    expect(lines.map(({ function: name, text }) => `${name} ${text}`)).toEqual(['api one', 'watch two', 'api three']);
  });
  it('are not mistaken for empty when access is denied', async () => {
    await expect(readLogs(client, deployment, ['api', 'sweep'], 0)).rejects.toThrow('logs:FilterLogEvents');
  });
  it('are files of an emulator, which has none of them', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
    await expect(readLogs(client, deployment, ['guard'], 0)).rejects.toThrow(
      'http://127.0.0.1:4566 has no logs of functions: npm run emulator writes them to files',
    );
    vi.stubEnv('AWS_ENDPOINT_URL', undefined);
    expect(await readLogs(client, deployment, ['guard'], 0)).toEqual([]);
    vi.unstubAllEnvs();
  });
  it('must be of existing functions', () => {
    expect(functionsNamed('api')).toEqual(['api']);
    expect(functionsNamed(undefined).length).toBeGreaterThan(10);
    expect(() => functionsNamed('apis')).toThrow(/no function apis: it is one of api, /);
  });
});
