/** `capstan doctor`: checks each precondition, and prints remedies. */
import { type ApiClient, kubeconfigPath, openClient } from '../client.ts';
import type { Print } from '../output.ts';
import { type Check, type Finding, outcomeOf, skipped } from './check.ts';
import { checksHere } from './here.ts';
import { checksOfServer } from './server.ts';

const deployedChecks = async (client: ApiClient): Promise<Check[]> => {
  const { deployment } = client;
  if (!deployment) return [];
  const [
    { checksOfDeployment },
    { openSession, settings },
    { LambdaClient },
    { DynamoDBClient },
    { SchedulerClient },
    { EventBridgeClient },
    { cloudFormation },
  ] = await Promise.all([
    import('./deployed.ts'),
    import('../aws/session.ts'),
    import('@aws-sdk/client-lambda'),
    import('@aws-sdk/client-dynamodb'),
    import('@aws-sdk/client-scheduler'),
    import('@aws-sdk/client-eventbridge'),
    import('../aws/stack.ts'),
  ]);
  const session: Check = {
    name: 'aws',
    run: async () => {
      const { account, caller } = await openSession(deployment);
      const isOther = account !== deployment.account;
      const says = `${caller} in account ${account}`;
      return isOther
        ? { level: 'failed', says: `${says}; the installation is in ${deployment.account}: choose another profile` }
        : { level: 'ok', says };
    },
  };
  const hasClusters = async () =>
    (await client.json<{ items: unknown[] }>('GET', '/apis/cluster.x-k8s.io/v1beta2/clusters?limit=1')).items.length >
    0;
  const clients = {
    stacks: cloudFormation(),
    lambda: new LambdaClient({ ...settings, region: deployment.region }),
    tables: new DynamoDBClient({ ...settings, region: deployment.region }),
    scheduler: new SchedulerClient({ ...settings, region: deployment.region }),
    events: (region: string) => new EventBridgeClient({ ...settings, region }),
  };
  const regionsInUse = async () => {
    const path = '/apis/infrastructure.cluster.x-k8s.io/v1beta2/awsclusters';
    const { items } = await client.json<{ items: { spec?: { region?: string } }[] }>('GET', path);
    return [...new Set(items.flatMap(({ spec }) => spec?.region ?? []))];
  };
  return [session, ...checksOfDeployment(clients, deployment, hasClusters, regionsInUse)];
};

const marks: Record<Finding['level'], string> = { ok: 'ok', warning: 'WARNING', failed: 'FAILED', skipped: 'skipped' };

/** Returns whether no check failed. Skips checks that depend on a failed one. */
export const examine = async (checks: readonly Check[], print: Print): Promise<boolean> => {
  let isWell = true;
  let isUnreachable = false;
  for (const check of checks) {
    const finding = isUnreachable ? skipped('the server does not answer') : await outcomeOf(check);
    if (finding.level === 'failed') isWell = false;
    if (finding.level === 'failed' && check.name === 'server') isUnreachable = true;
    print(`${marks[finding.level].padEnd(9)}${check.name.padEnd(14)}${finding.says}`);
  }
  return isWell;
};

export const doctor = async (kubeconfig: string | undefined, print: Print = console.log): Promise<void> => {
  const path = kubeconfigPath(kubeconfig);
  let client: ApiClient | undefined;
  const opening: Check = {
    name: 'kubeconfig',
    run: async () => {
      client = openClient(path);
      return { level: 'ok', says: path };
    },
  };
  const serverVersion = async () =>
    client ? (await client.json<{ gitVersion: string }>('GET', '/version')).gitVersion : 'unknown';
  let isWell = await examine([opening], print);
  if (client) {
    isWell = (await examine(checksOfServer(client), print)) && isWell;
    isWell = (await examine(await deployedChecks(client), print)) && isWell;
  }
  isWell = (await examine(checksHere(serverVersion), print)) && isWell;
  if (!isWell) process.exitCode = 1;
};
