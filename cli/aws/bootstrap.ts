/** The CDK's bootstrap stack: a bucket and roles, created once per account and region. */
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { Progress } from '../../tools/progress.d.mts';
import { CliError } from '../errors.ts';
import type { Advise } from '../interruptible.ts';
import { typed } from '../output.ts';
import { cdkFailure, runCdk } from './cdk.ts';
import { explained } from './explain.ts';
import { type Session, settings } from './session.ts';

const Name = '/cdk-bootstrap/hnb659fds/version';

const isBootstrapped = async ({ region, profile }: Session): Promise<boolean> => {
  try {
    await new SSMClient(settings).send(new GetParameterCommand({ Name }));
    return true;
  } catch (error) {
    if ((error as Error).name === 'ParameterNotFound') return false;
    throw explained(error, { action: 'ssm:GetParameter', what: `the parameter ${Name}`, profile, region });
  }
};

/** Bootstraps on request, and always in an emulator, where it is free. */
export const ensureBootstrapped = async (
  session: Session,
  isWished: boolean,
  progress: Progress,
  advise: Advise,
): Promise<void> => {
  if (await isBootstrapped(session)) return;
  const { account, region, isEmulated } = session;
  if (!isWished && !isEmulated)
    throw new CliError(
      `the CDK was never used in ${region} of account ${account}: it needs a bucket and roles there, which  npm run deploy -- --bootstrap  makes once (or  npx cdk bootstrap aws://${account}/${region}  , with the options that your organisation wants)`,
    );
  progress.step(`Bootstrapping the CDK in ${region} of account ${account}`);
  advise(
    `CloudFormation goes on with the CDK's stack, if it has begun; nothing of the installation was changed. See it:
  aws cloudformation describe-stacks --stack-name CDKToolkit --region ${region}
When it has ended:  ${typed('deploy --bootstrap')}  with the same options`,
  );
  const run = await runCdk('bootstrap', ['bootstrap', `aws://${account}/${region}`], session);
  if (run.code !== 0) throw cdkFailure(`the CDK could not be bootstrapped in ${region} of account ${account}`, run);
  advise('The CDK is prepared; nothing of the installation was changed.');
};
