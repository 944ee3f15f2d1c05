/** `npm run deploy`: the control plane on AWS, and what to type next. */
import { UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';
import { ensureBootstrapped } from './aws/bootstrap.ts';
import { contextWords, output, runCdk } from './aws/cdk.ts';
import { defaultInstallation } from './aws/context.ts';
import { renderFailure } from './aws/failure.ts';
import { type DeploymentOptions, deploymentCommand } from './aws/options.ts';
import { type Prepared, prepare } from './aws/prepare.ts';
import {
  failuresOf,
  findStack,
  lastEvents,
  monitoringStackOf,
  type Outputs,
  outputsOf,
  stackOf,
  standingInTheWay,
} from './aws/stack.ts';
import { CliError } from './errors.ts';
import { run } from './run.ts';

interface DeployOptions extends DeploymentOptions {
  bootstrap?: boolean;
  withoutMonitoring?: boolean;
}

/** What CloudFormation says of each stack that is not as it should be. */
const failure = async ({ client, session: { region } }: Prepared, names: readonly string[]): Promise<CliError> => {
  const says: string[] = [];
  for (const name of names) {
    const stack = await findStack(client, name);
    if (!stack) continue;
    says.push(...failuresOf(await lastEvents(client, stack.StackId ?? name)).map(renderFailure));
    const standing = standingInTheWay(name, stack.StackStatus ?? '', region);
    if (standing) says.push(`  ${standing}`);
  }
  const what =
    'the deployment failed; what ran before goes on, and no object is lost. Deploy again when this is mended:';
  return new CliError(says.length > 0 ? [what, ...says].join('\n') : 'the deployment failed: see above');
};

/** Deleting the stack in the console is refused then, and leaves it as it is. Not every implementation of the API knows of it. */
const protect = async ({ client, session: { isEmulated } }: Prepared, StackName: string): Promise<void> => {
  if (isEmulated) return;
  try {
    await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: true }));
  } catch (error) {
    console.log(`Note: ${StackName} could not be protected from being deleted: ${(error as Error).message}`);
  }
};

const nextSteps = ({ session, installation, context }: Prepared, { Url, DomainTarget }: Outputs): string => {
  const words = [
    ...(session.profile ? ['--profile', session.profile] : []),
    '--region',
    session.region,
    ...(installation === defaultInstallation ? [] : ['--installation', installation]),
    // The address that CloudFormation knows is AWS's own there.
    ...(session.isEmulated ? ['--url <its URL>', '--certificate-authority <its file>'] : []),
  ];
  const how = session.isEmulated ? ' (the emulator printed its URL and file)' : '';
  const dns = DomainTarget
    ? `\n  DNS             point ${context.domainName} at ${DomainTarget} (CNAME, or an alias)`
    : '';
  return `
Capstan is deployed.

  API             ${Url ?? 'the stack has no output Url'}${dns}
  administrators  ${context.administrators}

Write a kubeconfig and use it${how}:

  npm run capstan -- login ${words.join(' ')}
  kubectl get clusters
`;
};

const deploy = async ({ bootstrap = false, withoutMonitoring = false, ...options }: DeployOptions): Promise<void> => {
  const prepared = await prepare(options);
  const { session, client, installation, context } = prepared;
  await ensureBootstrapped(session, bootstrap);
  const stack = stackOf(installation);
  const isMonitored = !withoutMonitoring && !session.isEmulated;
  if (session.isEmulated)
    console.log('AWS_ENDPOINT_URL is set: the monitoring stack is left out, emulators lack what it is made of.');
  const names = [stack, ...(isMonitored ? [monitoringStackOf(installation)] : [])];
  const words = ['deploy', ...names, '--exclusively', '--require-approval', 'never', '--output', output];
  const code = await runCdk([...words, ...contextWords(context)], session);
  if (code !== 0) throw await failure(prepared, names);
  await protect(prepared, stack);
  const deployed = await findStack(client, stack);
  if (!deployed) throw new CliError(`the stack ${stack} is not there after its deployment: was it deleted meanwhile?`);
  console.log(nextSteps(prepared, outputsOf(deployed)));
};

await run(
  deploymentCommand('deploy')
    .description('Deploy the control plane, and a stack that watches it, with the pinned CDK.')
    .option('--bootstrap', 'prepare the account and region for the CDK, when that was never done')
    .option('--without-monitoring', 'leave the monitoring stack as it is')
    .action(deploy),
);
