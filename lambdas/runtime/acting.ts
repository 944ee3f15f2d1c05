/** The workers that act on the account. Only they may search it for resources without objects. */
import { awsCloud } from '../../adapters/aws/cloud/index.ts';
import { stepFunctionsClient } from '../../adapters/aws/lambda/clients.ts';
import { stepFunctions } from '../../adapters/aws/workflows/step-functions.ts';
import { guarded } from '../../adapters/cloud/guarded.ts';
import { installationPort, marked } from '../../adapters/installation/index.ts';
import { workflowsPort } from '../../adapters/ports.ts';
import { createAwaits } from '../../machinery/operations/index.ts';
import type { ReconcilingEnvironment } from '../environment.ts';
import { everything } from './all-work.ts';
import type { Foundation } from './foundation.ts';
import { pkiOnDemand } from './pki.ts';
import type { Controllers, Reconciling } from './reconciling.ts';
import { reconcilingOf } from './standing.ts';
import { wakerOf } from './waking.ts';

export const acting = (
  foundation: Foundation,
  environment: ReconcilingEnvironment,
  controllers: Controllers,
): Reconciling => {
  const { clock, log, work } = foundation;
  const cloud = awsCloud({ clock, share: environment.CLOUD_SHARE });
  const workflows = stepFunctions({ client: stepFunctionsClient(), arns: environment.WORKFLOWS });
  let isThawed = false;
  return reconcilingOf(
    foundation,
    environment,
    (position) => ({
      controllers,
      ports: {
        cloud: marked(guarded(cloud), position),
        installation: installationPort({ position, cloud, wake: wakerOf(foundation), log }),
        pki: pkiOnDemand(),
        workflows: workflowsPort(workflows),
      },
      awaits: createAwaits(work, workflows),
      settled: async () => {
        if (!isThawed) return;
        // Requeues what was deferred during the freeze.
        await everything(foundation).sweep();
        await everything(foundation).resync();
        isThawed = false;
      },
    }),
    {
      account: { cloud, region: environment.AWS_REGION },
      onChange: (isFrozen) => {
        isThawed = !isFrozen;
      },
    },
  );
};
