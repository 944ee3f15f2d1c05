/** The workers that call AWS. Only they may search the account for resources without objects. */
import { awsCloud } from '../../adapters/aws/cloud/index.ts';
import { stepFunctionsClient } from '../../adapters/aws/lambda/clients.ts';
import { stepFunctions } from '../../adapters/aws/workflows/step-functions.ts';
import { createAwaits } from '../../machinery/operations/index.ts';
import { accountPorts } from '../../runtime/account-ports.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { afterThaw } from '../../runtime/thaw.ts';
import type { Controllers } from '../../runtime/worker.ts';
import type { ReconcilingEnvironment } from '../environment.ts';
import type { Reconciling } from './reconciling.ts';
import { reconcilingOf } from './worker.ts';

export const awsWorker = (
  foundation: Foundation,
  environment: ReconcilingEnvironment,
  controllers: Controllers,
): Reconciling => {
  const { clock, work } = foundation;
  const cloud = awsCloud({ clock, share: environment.CLOUD_SHARE });
  const workflows = stepFunctions({ client: stepFunctionsClient(), arns: environment.WORKFLOWS });
  const { onChange, settled } = afterThaw(async () =>
    (await import('../../runtime/sweep.ts')).composeSweep(foundation),
  );
  return reconcilingOf(
    foundation,
    environment,
    (position) => ({
      controllers,
      ports: accountPorts(foundation, { cloud, workflows }, position),
      awaits: createAwaits({ table: work, workflows, clock }),
      settled,
    }),
    { account: { cloud, region: environment.AWS_REGION }, onChange },
  );
};
