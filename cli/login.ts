/** `capstan login`: writes a kubeconfig entry with which stock kubectl asks as whoever the AWS credentials belong to. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { defaultInstallation, installationOf } from './aws/context.ts';
import { chosenRegion, openSession, type SessionOptions } from './aws/session.ts';
import { cloudFormation, findStack, outputsOf, stackOf } from './aws/stack.ts';
import { CliError } from './errors.ts';
import { type Entry, writeEntry } from './kubeconfig.ts';

export interface LoginOptions extends SessionOptions {
  url?: string;
  installation?: string;
  clusterId?: string;
  certificateAuthority?: string;
}

interface Deployed {
  url: string;
  clusterId: string;
}

const root = join(import.meta.dirname, '..');

/** Of a region's own endpoint, such as `https://x.execute-api.eu-central-1.amazonaws.com/v1`. */
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
    `there is no installation ${installation} in ${region} of account ${account}: name another region with --region, another account with --profile, another installation with --installation, or deploy one with  npm run deploy`,
  );

/** What the stack says, and what was typed before that. */
const findDeployed = async ({ url, clusterId, ...options }: LoginOptions, installation: string): Promise<Deployed> => {
  if (url !== undefined && clusterId !== undefined) return { url, clusterId };
  const { region, account } = await openSession(options);
  const stack = await findStack(cloudFormation(), stackOf(installation));
  if (!stack) throw absent(installation, region, account);
  const { Url, ClusterId } = outputsOf(stack);
  const [found, id] = [url ?? Url, clusterId ?? ClusterId];
  if (found === undefined || id === undefined)
    throw new CliError(
      `the stack ${stackOf(installation)} is ${stack.StackStatus} and says neither where its API is nor for whom tokens are: deploy it again with  npm run deploy`,
    );
  return { url: found, clusterId: id };
};

/** Runs from any directory, whatever Node is first on the PATH, or none. */
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
  installHint: `Capstan's command line makes the tokens for this cluster and is no longer in ${root}: run npm ci there, or log in again from where it is now (npm run capstan -- login).`,
});

/** Where kubectl itself looks. */
const defaultKubeconfig = (): string =>
  process.env.KUBECONFIG?.split(':').find(Boolean) ?? join(homedir(), '.kube', 'config');

/** Answers what was done. */
export const login = async (options: LoginOptions, kubeconfig: string = defaultKubeconfig()): Promise<string> => {
  const installation = installationOf({ installation: options.installation ?? defaultInstallation });
  const certificateAuthority = options.certificateAuthority && pemOf(options.certificateAuthority);
  const region = await chosenRegion({ ...options, region: options.region ?? regionIn(options.url) });
  const { url, clusterId } = await findDeployed({ ...options, region }, installation);
  const name = `${installation}.${region}`;
  writeEntry(kubeconfig, {
    name,
    server: serverOf(url),
    ...(certificateAuthority && { certificateAuthority }),
    exec: execOf(clusterId, region, process.env.AWS_PROFILE),
  });
  return [
    `${kubeconfig} has the context ${name} for ${url}, and it is the current one.`,
    'Try it:  kubectl get clusters --all-namespaces',
  ].join('\n');
};

export const loginCommand = (kubeconfig: () => string | undefined): Command =>
  new Command('login')
    .description('Write a kubeconfig entry for a deployed control plane; kubectl then asks as your AWS identity.')
    .option('--url <url>', "of the API (default: the stack's output Url)")
    .option('--region <name>', "that it is deployed to (default: $AWS_REGION, $AWS_DEFAULT_REGION, the profile's)")
    .option('--profile <name>', "of the AWS CLI's configuration, for the token, too (default: $AWS_PROFILE)")
    .option('--installation <name>', 'which of several', defaultInstallation)
    .option('--cluster-id <id>', "what tokens are for (default: the stack's output ClusterId)")
    .option('--certificate-authority <file>', 'that is to be trusted for the API, in PEM: of an emulator')
    .exitOverride()
    .action(async (options: LoginOptions) => console.log(await login(options, kubeconfig())));
