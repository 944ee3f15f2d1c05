/** Checks that the programs of the machines start with the flags that they get: a machine without them never joins. */
import { found } from '../../../machinery/api/reconcile.ts';
import { parseVersion } from '../../common/kubernetes-version.ts';
import { normalVersion } from '../../common/validate.ts';
import { codeOf, judgeKubeadmSpec, sentenceOf } from '../../components/kubeadm-spec.ts';
import type { PlannedMachines, PreflightFacts } from './facts.ts';
import { type Finding, refused } from './finding.ts';

export const judgeComponents = ({ machines }: PreflightFacts): Finding[] => machines.flatMap(judgeMachines);

const judgeMachines = ({ config, version, controlPlane, kubeadm }: PlannedMachines): Finding[] => {
  const spec = config && found(config.spec);
  const release = version === undefined ? undefined : parseVersion(normalVersion(version));
  if (!spec || !kubeadm || release?.major !== 1) return [];
  const { object, path } = config.at;
  return judgeKubeadmSpec(spec, release.minor, controlPlane)
    .filter(({ isUncertain }) => !isUncertain)
    .map((fault) =>
      refused(`${object} ${path}.${fault.path}: ${sentenceOf(fault, release.minor)}: ${fault.remedy}`, codeOf(fault)),
    );
};
