/** Runs the commands that causes offer, without effect, and reports those that the API or the command refuses. */
import type { Command } from 'commander';
import { cancelOperation } from '../../cli/cancel.ts';
import { clientOf } from '../../cli/client.fixture.ts';
import type { ApiClient } from '../../cli/client.ts';
import { continueOperation } from '../../cli/continue.ts';
import { createProgram } from '../../cli/program.ts';
import { retryCluster } from '../../cli/retry.ts';
import type { Cause } from '../../kinds/common/causes/index.ts';
import { kinds } from '../../kinds/index.ts';
import { apiVersionOf } from '../../machinery/api/kind.ts';
import type { World } from './world.ts';

/** Each write is a dry run. */
const clientIn = (world: World): ApiClient =>
  clientOf(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method !== 'GET') searchParams.set('dryRun', 'All');
    const text = await request.text();
    const path = `${pathname}${searchParams.size > 0 ? `?${searchParams}` : ''}`;
    const body = text === '' ? undefined : JSON.parse(text);
    const answer = await world.request(request.method, path, body, request.headers.get('content-type') ?? undefined);
    return new Response(JSON.stringify(answer.body), { status: answer.code });
  });

const plain = (word: string): string => word.replace(/^'(.*)'$/, '$1');
const argsOf = (command: string): string[] => (command.match(/'[^']*'|\S+/g) ?? []).map(plain);

const annotationsOf = (args: readonly string[]) =>
  Object.fromEntries(
    args.map((word) => (word.endsWith('-') ? [word.slice(0, -1), null] : word.split(/=(.*)/s).slice(0, 2))),
  );

const optionIn = (args: readonly string[], option: string): string | undefined => {
  const at = args.indexOf(option);
  return at < 0 ? undefined : args[at + 1];
};

/** `kubectl create secret generic NAME -n NAMESPACE --from-file=KEY=FILE`, or of a ConfigMap. */
const createKeyed = (client: ApiClient, args: readonly string[]): Promise<unknown> => {
  const isSecret = args[1] === 'secret';
  const name = args[isSecret ? 3 : 2] ?? '';
  const [, key = 'FILE'] = /--from-file=([^=]+)=/.exec(args.join(' ')) ?? [];
  const [, type] = /--type=(\S+)/.exec(args.join(' ')) ?? [];
  return client.json('POST', `/api/v1/namespaces/${optionIn(args, '-n')}/${isSecret ? 'secrets' : 'configmaps'}`, {
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: isSecret ? 'Secret' : 'ConfigMap',
      metadata: { name },
      ...(type !== undefined && { type }),
      [isSecret ? 'stringData' : 'data']: { [key]: '' },
    }),
  });
};

const runKubectl = async (client: ApiClient, args: readonly string[]): Promise<unknown> => {
  const [verb, word = '', name = ''] = args;
  // A workload cluster is asked.
  if (verb?.startsWith('--kubeconfig')) return undefined;
  if (verb === 'create') return createKeyed(client, args);
  if (word.includes(',')) return Promise.all(word.split(',').map((one) => runKubectl(client, [verb!, one])));
  const kind = kinds.find((one) => [one.kind.toLowerCase(), one.plural, ...(one.shortNames ?? [])].includes(word));
  if (!kind) throw new Error(`no kind ${word}`);
  const apiVersion = apiVersionOf(kind.group, kind.versions[0]!.name);
  const namespace = kind.namespaced ? optionIn(args, '-n') : undefined;
  const root = `${kind.group ? '/apis' : '/api'}/${apiVersion}`;
  const list = `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind.plural}`;
  const patch = (body: object) =>
    client.json('PATCH', `${list}/${name}`, {
      body: JSON.stringify(body),
      contentType: `application/${optionIn(args, '--type') === 'json' ? 'json' : 'merge'}-patch+json`,
    });
  switch (verb) {
    case 'get':
    case 'describe':
    case 'edit':
      return client.json('GET', name === '' || name.startsWith('-') ? list : `${list}/${name}`);
    case 'delete':
      return client.json('DELETE', `${list}/${name}`);
    case 'patch':
      return patch(JSON.parse(optionIn(args, '-p') ?? ''));
    case 'annotate':
      return patch({ metadata: { annotations: annotationsOf(args.filter((one) => one.includes('/'))) } });
    default:
      throw new Error(`no verb ${verb}`);
  }
};

/** Fails for a command that does not exist. */
const expectCommand = (args: readonly string[]): void => {
  args.reduce<Command>((command, word) => {
    if (command.commands.length === 0) return command;
    const found = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (!found && !command.registeredArguments.length) throw new Error(`no command ${args.join(' ')}`);
    return found ?? command;
  }, createProgram());
};

const newestSnapshot = (world: World): string => {
  const complete = world.all('EtcdSnapshot').filter(({ status }) => status?.phase === 'Succeeded');
  const newest = complete.toSorted((a, b) => (a.status!.completedAt! < b.status!.completedAt! ? 1 : -1))[0];
  if (!newest) throw new Error('no snapshot can be named');
  return newest.metadata.name;
};

/** As the command asks the server, which does not read the file in a dry run. */
const requestRestore = (world: World, client: ApiClient, snapshot: string): Promise<unknown> => {
  const clusterName = world.find('EtcdSnapshot', snapshot)?.spec?.clusterName ?? '';
  const restores = world
    .all('ClusterOperation')
    .filter(({ spec }) => spec?.type === 'restore' && spec.clusterName === clusterName);
  return client.json('POST', '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations', {
    body: JSON.stringify({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'ClusterOperation',
      metadata: { name: `${clusterName}-restore-${restores.length + 1}` },
      spec: { clusterName, type: 'restore', snapshot },
    }),
  });
};

const runCapstan = async (world: World, client: ApiClient, args: readonly string[]): Promise<unknown> => {
  expectCommand(args);
  const [verb, object, name = ''] = args;
  const namespace = optionIn(args, '-n') ?? 'default';
  const override = optionIn(args, '--override');
  switch (`${verb} ${object}`) {
    case 'retry cluster':
      return retryCluster(client, namespace, name, world.now(), override?.split(','));
    case 'continue operation':
      return continueOperation(client, namespace, name);
    case 'cancel operation':
      return cancelOperation(client, namespace, name, { yes: true });
    case 'snapshot restore':
      return requestRestore(world, client, name === 'NAME' ? newestSnapshot(world) : name);
    default:
      return undefined;
  }
};

const run = (world: World, client: ApiClient, command: string): Promise<unknown> => {
  const [program, ...args] = argsOf(command);
  if (program === 'kubectl') return runKubectl(client, args);
  return program === 'capstan' ? runCapstan(world, client, args) : Promise.resolve();
};

/** The offered commands that are refused, each with the answer. */
export const refusedAdvice = async (world: World, causes: readonly Cause[]): Promise<string[]> => {
  const client = clientIn(world);
  const refused: string[] = [];
  for (const command of new Set(causes.flatMap(({ commands }) => commands)))
    await run(world, client, command).catch((error: Error) => refused.push(`${command}: ${error.message}`));
  return refused;
};
