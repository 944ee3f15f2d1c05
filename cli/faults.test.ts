import { CommanderError } from 'commander';
import { beforeEach, describe, expect, it } from 'vitest';
import { accountApi } from '../local/account-api.ts';
import { openWorld } from '../simulation/aws/account.fixture.ts';
import { type Answers, clientOf } from './client.fixture.ts';
import type { ApiClient } from './client.ts';
import { faultCommand } from './faults.ts';

let printed: string[];
let client: ApiClient;
beforeEach(() => {
  printed = [];
  const { account } = openWorld();
  const answers: Answers = async (request) => (await accountApi(account, request))!;
  client = clientOf(answers);
});
const run = async (...args: string[]) => {
  printed = [];
  const command = faultCommand(
    async () => client,
    (text) => printed.push(text),
  );
  for (const each of [command, ...command.commands]) each.configureOutput({ writeErr: () => undefined });
  await command.parseAsync(args, { from: 'user' });
  return printed.join('\n');
};

describe('capstan cloud fault', () => {
  it('adds, lists and clears faults', async () => {
    expect(await run('list')).toBe('No resources found.');
    expect(await run('clear')).toBe('0 faults cleared');
    expect(await run('add', '--action', 'CreateVpc', '--code', 'InternalError', '--count', '1', '--after-effect')).toBe(
      'fault-1: CreateVpc answers InternalError once, after it did its work',
    );
    const capacity = ['--action', 'RunInstances', '--code', 'InsufficientInstanceCapacity'];
    expect(await run('add', ...capacity, '--zone', 'us-east-1a', '--type', 't3.large', '--message', 'none left')).toBe(
      'fault-2: RunInstances of t3.large in us-east-1a answers InsufficientInstanceCapacity every time',
    );
    expect((await run('list')).split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'ACTION', 'CODE', 'ZONE', 'TYPE', 'LEFT', 'EFFECT'],
      ['fault-1', 'CreateVpc', 'InternalError', '*', '*', '1', 'done'],
      ['fault-2', 'RunInstances', 'InsufficientInstanceCapacity', 'us-east-1a', 't3.large', '*', 'none'],
    ]);
    expect(JSON.parse(await run('list', '-o', 'json')).items[1]).toEqual({
      id: 'fault-2',
      action: 'RunInstances',
      code: 'InsufficientInstanceCapacity',
      zone: 'us-east-1a',
      type: 't3.large',
      message: 'none left',
    });
    expect(await run('clear', 'fault-1')).toBe('1 fault cleared');
    await expect(run('clear', 'fault-1')).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('no fault "fault-1"'),
    });
    expect(await run('clear')).toBe('1 fault cleared');
  });

  it('treats an unknown action as a usage error', async () => {
    await expect(run('add', '--action', 'RunInstance', '--code', 'X')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('did you mean RunInstances?'),
    });
  });

  it.each([
    [['add', '--code', 'X']],
    [['add', '--action', 'CreateVpc']],
    [['add', '--action', 'CreateVpc', '--code', 'X', '--count', '0']],
    [['add', '--action', 'CreateVpc', '--code', 'X', '--count', 'many']],
    [['add', '--action', 'CreateVpc', '--code', 'X', '--colour', 'red']],
    [['list', '-o', 'xml']],
    [['remove']],
  ])('usage error: %s', async (args) => {
    await expect(run(...args)).rejects.toBeInstanceOf(CommanderError);
    expect(await run('list')).toBe('No resources found.');
  });
});
