/**
 * `capstan login`: writes a kubeconfig entry for stock kubectl, which authenticates as the AWS identity of
 * the caller.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, dataOf, messageOf } from './answer.ts';
import { defaultInstallation, installationOf } from './aws/context.ts';
import { chosenRegion, openSession, type SessionOptions } from './aws/session.ts';
import { cloudFormation, findStack, outputsOf, stackOf } from './aws/stack.ts';
import { type ApiClient, isUntrusted, openClient } from './client.ts';
import { CliError } from './errors.ts';
import { type Entry, writeEntry } from './kubeconfig.ts';
import { typed } from './output.ts';

export interface LoginOptions extends SessionOptions {
  url?: string;
  installation?: string;
  clusterId?: string;
  certificateAuthority?: string;
  /** Writes the entry even if the API does not answer. */
  force?: boolean;
}

interface Deployed {
  url: string;
  clusterId: string;
}

const root = join(import.meta.dirname, '..');

/** The region in a regional endpoint such as `https://x.execute-api.eu-central-1.amazonaws.com/v1`. */
const regionIn = (url: string | undefined): string | undefined =>
  /^https:\/\/[^/]+\.execute-api\.([a-z0-9-]+)\./.exec(url ?? '')?.[1];

const serverOf = (url: string): string => {
  const parsed = URL.parse(url);
  if (parsed?.protocol === 'https:') return url.replace(/\/+$/, '');
  throw new CliError(`${url} is no address that begins with https:// : kubectl sends credentials to no other`, 2);
};

const pemOf = (path: string): string => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`cannot read ${path}: ${(error as Error).message}`, 1, { cause: error });
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new CliError(`${path} holds no certificate in PEM`);
};

const absent = (installation: string, region: string, account: string): CliError =>
  new CliError(
    `there is no installation ${installation} in ${region} of account ${account}: name another region with --region, another account with --profile, another installation with --installation, or deploy one with  ${typed('deploy')}`,
  );

/** The stack's outputs, overridden by given values. */
const findDeployed = async ({ url, clusterId, ...options }: LoginOptions, installation: string): Promise<Deployed> => {
  if (url !== undefined && clusterId !== undefined) return { url, clusterId };
  const { region, account } = await openSession(options);
  const stack = await findStack(cloudFormation(), stackOf(installation));
  if (!stack) throw absent(installation, region, account);
  const { Url, ClusterId } = outputsOf(stack);
  const [found, id] = [url ?? Url, clusterId ?? ClusterId];
  if (found === undefined || id === undefined)
    throw new CliError(
      `the stack ${stackOf(installation)} is ${stack.StackStatus} and says neither where its API is nor for whom tokens are: deploy it again with  ${typed('deploy')}`,
    );
  return { url: found, clusterId: id };
};

/** Runs from any directory, with any or no Node on the PATH. */
const execOf = (clusterId: string, region: string, profile: string | undefined): Entry['exec'] => ({
  command: join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
  args: [
    join(root, 'cli', 'main.ts'),
    'token',
    '--cluster-id',
    clusterId,
    '--region',
    region,
    ...(profile === undefined ? [] : ['--profile', profile]),
  ],
  installHint: `Capstan's command line makes the tokens for this cluster and is no longer in ${root}: run npm ci there, or log in again from where it is now (capstan login).`,
});

/** kubectl's default kubeconfig. */
const defaultKubeconfig = (): string =>
  process.env.KUBECONFIG?.split(':').find(Boolean) ?? join(homedir(), '.kube', 'config');

/** Milliseconds to wait for the API, which may need a cold start. */
const timeout = 30_000;

const identityOf = (answer: Answer): string => {
  try {
    const { status } = JSON.parse(answer.body) as { status?: { userInfo?: { username?: string } } };
    return status?.userInfo?.username ?? 'you';
  } catch {
    return 'you';
  }
};

const noRole = 'no rule of it concerns you yet: an administrator binds a role to you (docs/access.md)';
const mayNotRead = 'you may not list the clusters of all namespaces';

/** An API that does not answer the question refuses nothing by that. */
const readsClusters = async (client: ApiClient): Promise<boolean> => {
  const resourceAttributes = { verb: 'list', group: 'cluster.x-k8s.io', resource: 'clusters' };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  try {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const { code, body } = await client.request('POST', path, { body: JSON.stringify(review) });
    return code >= 300 || dataOf<{ status?: { allowed?: boolean } }>(body).status?.allowed !== false;
  } catch {
    return true;
  }
};

/**
 * Tests the entry in a temporary kubeconfig with a SelfSubjectReview. Returns the result as text.
 * Throws CliError when the API does not answer or rejects the caller; the user's kubeconfig then stays
 * as it is.
 */
export const tryEntry = async (entry: Entry, kubeconfig: string): Promise<string> => {
  const directory = mkdtempSync(join(tmpdir(), 'capstan-login-'));
  const refused = (why: string, cause?: unknown) =>
    new CliError(
      `${why}
  ${kubeconfig} is left as it is. To write the entry all the same:  ${typed('login --force')} with the same options`,
      1,
      { cause },
    );
  try {
    const path = join(directory, 'config');
    writeEntry(path, entry);
    const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
    const client = openClient(path);
    const asked = client.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body });
    const timedOut = wait(timeout, undefined, { ref: false }).then(() => {
      throw new CliError(`${entry.server} did not answer within ${timeout / 1000} seconds`);
    });
    const answer = await Promise.race([asked, timedOut]);
    if (answer.code === 401)
      throw refused(`${entry.server} does not accept these AWS credentials: ${messageOf(answer)}`);
    if (answer.code === 403) return `the API answers, and ${noRole}`;
    if (answer.code >= 500) throw refused(`${entry.server} answers ${answer.code}: ${messageOf(answer)}`);
    if (answer.code !== 201) throw refused(`${entry.server} is no Kubernetes API: it answers ${answer.code}`);
    return `the API knows you as ${identityOf(answer)}${(await readsClusters(client)) ? '' : `, and ${mayNotRead}`}`;
  } catch (error) {
    if (!(error instanceof CliError) || error.message.includes('left as it is')) throw error;
    const advice = isUntrusted(error)
      ? '. Name the authority that signed its certificate:  --certificate-authority FILE'
      : '';
    throw refused(`${error.message}${advice}`, error);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Returns a report. */
export const login = async (
  options: LoginOptions,
  kubeconfig: string = defaultKubeconfig(),
  tried: (entry: Entry, kubeconfig: string) => Promise<string> = tryEntry,
): Promise<string> => {
  const installation = installationOf({ installation: options.installation ?? defaultInstallation });
  const certificateAuthority = options.certificateAuthority && pemOf(options.certificateAuthority);
  const region = await chosenRegion({ ...options, region: options.region ?? regionIn(options.url) });
  const { url, clusterId } = await findDeployed({ ...options, region }, installation);
  const name = `${installation}.${region}`;
  const entry: Entry = {
    name,
    server: serverOf(url),
    ...(certificateAuthority && { certificateAuthority }),
    exec: execOf(clusterId, region, process.env.AWS_PROFILE),
  };
  const seen = options.force ? 'it was not tried' : await tried(entry, kubeconfig);
  writeEntry(kubeconfig, entry);
  return [
    `${kubeconfig} has the context ${name} for ${url}, and it is the current one: ${seen}.`,
    [noRole, mayNotRead].some((limit) => seen.includes(limit))
      ? 'Next:  kubectl auth can-i --list --namespace=YOURS says what you may do there; an administrator binds roles to you (docs/access.md)'
      : 'Next:  kubectl get clusters --all-namespaces',
  ].join('\n');
};
