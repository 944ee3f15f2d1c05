import { Command } from 'commander';
import { afterEach, expect, it, vi } from 'vitest';
import { accountApi } from '../local/account-api.ts';
import { openWorld } from '../simulation/aws/account.fixture.ts';
import { clientOf } from './client.fixture.ts';
import { launchCommands } from './cloud-launches.ts';

afterEach(() => vi.restoreAllMocks());

const open = () => {
  const world = openWorld({ behaviour: { keyPairs: ['default'] } });
  const client = clientOf(async (request) => (await accountApi(world.account, request))!);
  const printed: string[] = [];
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation((text: string) => void printed.push(text));
  const run = async (...args: string[]): Promise<string> => {
    printed.length = 0;
    const program = new Command();
    for (const one of launchCommands(async () => client)) program.addCommand(one);
    await program.parseAsync(args, { from: 'user' });
    return printed.join('\n');
  };
  return { ...world, run };
};

it('makes an image of a version, which the list shows beside the published ones', async () => {
  const { run } = open();
  await run('image', 'create', 'mine', '--kubernetes-version', '1.35.1');
  const id = vi.mocked(console.log).mock.calls.flat().join('\n');
  expect(id).toMatch(/^ami-\w+$/);
  expect(await run('image', 'list')).toMatch(
    new RegExp(`^${id} +mine-v1\\.35\\.1 +x86_64 .*\n.*--kubernetes-version`, 'm'),
  );
  const listed = JSON.parse(await run('image', 'list', '--kubernetes-version', 'v1.36.0', '-o', 'json'));
  const names = (listed.items ?? listed).map(({ Name }: { Name: string }) => Name);
  expect(names[0]).toBe('mine-v1.35.1');
  expect(names.slice(1)).toHaveLength(6);
  expect(names.slice(1).every((name: string) => name.startsWith('capa-ami-ubuntu-24.04-v1.36.0-'))).toBe(true);
});

it('makes key pairs of a region and instance profiles, once', async () => {
  const { run } = open();
  await run('key-pair', 'create', 'mine', '--region', 'eu-central-1');
  expect(await run('key-pair', 'list', '--region', 'eu-central-1')).toMatch(/^default .*\nmine +key-/m);
  expect(await run('key-pair', 'list')).not.toContain('mine');
  await run('profile', 'create', 'my-nodes');
  expect(await run('profile', 'list')).toContain('my-nodes');
  await expect(run('profile', 'create', 'my-nodes')).rejects.toThrow('already exists');
});
