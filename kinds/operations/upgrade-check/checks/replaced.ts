/** What the upgrade replaces. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { labels } from '../../../common/labels.ts';
import type { Machine } from '../../../core/machine/index.ts';
import type { UpgradeFacts } from './facts.ts';

type Replaced = Pick<UpgradeFacts, 'objects'>;

const deployments = 'MachineDeployment';

export const replacesControlPlane = ({ objects }: Replaced): boolean =>
  objects?.some(({ kind }) => kind !== deployments) ?? true;

const replacesDeployment = ({ objects }: Replaced, name: string | undefined): boolean =>
  objects?.some((one) => one.kind === deployments && one.name === name) ?? true;

export const replacesWorkersOf = (facts: Replaced, { metadata }: KubeObject): boolean =>
  replacesDeployment(facts, metadata.name);

export const isReplaced = (facts: Replaced, { metadata: { labels: of = {} } }: Machine): boolean =>
  of[labels.controlPlane] === undefined
    ? replacesDeployment(facts, of[labels.deployment])
    : replacesControlPlane(facts);
