/** The label and taint that control planes had before v1.24, in add-ons that a ClusterResourceSet installs. */
import { parseVersion } from '../../kinds/common/kubernetes-version.ts';
import { normalVersion } from '../../kinds/common/validate.ts';
import { type Change, Changes } from './changes.ts';
import { type Manifest, textIn } from './manifest.ts';

const former = 'node-role.kubernetes.io/master';
const current = 'node-role.kubernetes.io/control-plane';
/** The first version of which no control plane has the label, nor the taint. */
const without = 25;

/** Selectors and labels have it as a field, tolerations and affinities as a value. */
const forms = [
  (name: string) => new RegExp(`^(\\s*(?:- )?)(["']?)${name}\\2(?=\\s*:)`, 'gm'),
  (name: string) => new RegExp(`(\\bkey:\\s*)(["']?)${name}\\2(?=\\s*(?:[,}#\\n]|$))`, 'gm'),
];

const isAddOn = (kind: string): boolean => kind === 'ConfigMap' || kind === 'Secret';

/** The lowest minor version of the control planes here; undefined if one is not known. */
const minorOf = (manifests: readonly Manifest[]): number | undefined => {
  const planes = manifests.filter(({ kind }) => kind === 'KubeadmControlPlane');
  const minors = planes.map((one) => parseVersion(normalVersion(textIn(one, 'spec.version') ?? ''))?.minor);
  return minors.length === 0 || minors.includes(undefined) ? undefined : Math.min(...(minors as number[]));
};

/** A form that has the current name, too, needs no other. */
const replaced = (text: string): string =>
  forms.reduce((now, of) => (of(current).test(now) ? now : now.replaceAll(of(former), `$1$2${current}$2`)), text);

interface AddOn {
  kind: string;
  name: string;
  text: string;
}

/** The text of an add-on for the clusters here, and what changed. */
export const forControlPlanes = (addOn: AddOn, manifests: readonly Manifest[]): { text: string; changes: Change[] } => {
  const changes = new Changes(`${addOn.kind}/${addOn.name}`);
  const text = isAddOn(addOn.kind) ? replaced(addOn.text) : addOn.text;
  if (text === addOn.text) return { text, changes: [] };
  const minor = minorOf(manifests);
  const isGone = minor !== undefined && minor >= without;
  if (isGone || minor === undefined)
    changes.add(isGone ? 'changed' : 'note', 'data', `control planes have no such label or taint since v1.${without}`, {
      from: former,
      ...(isGone && { to: current }),
    });
  return { text: isGone ? text : addOn.text, changes: changes.list };
};
