/** Add-ons of an EKS cluster: what is read of them, and the calls that make them as the spec says. Pure. */
import { type LegacyDraft, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { type Action, found, mapRead, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { carries, evidence, type Owner, tagList, tagsOf } from '../../infrastructure-aws/engine/tags.ts';
import type { EksAddon } from '../../ports/cloud/index.ts';
import { askCloud, callCloud } from '../../ports/index.ts';
import type { PartsPlan } from './access-entries.ts';
import { addonsConfigured, addonsFailed } from './conditions.ts';
import type { Parts } from './parts.ts';
import type { AWSManagedControlPlaneSpec, AWSManagedControlPlaneStatus } from './schema.ts';

type Wanted = NonNullable<AWSManagedControlPlaneSpec['addons']>[number];

export interface ObservedAddon {
  name: string;
  /** Undefined: it is to go. */
  wanted: Wanted | undefined;
  /** Whether its objects stay when it goes. */
  preserve: boolean;
  addon: Read<EksAddon>;
}

const isOurs = ({ tags }: EksAddon, owner: Owner): boolean => carries(tagList(tags), evidence(owner));

export const observeAddons = (
  read: Reader,
  region: string,
  spec: AWSManagedControlPlaneSpec,
  { addons: noted }: Parts,
  clusterName: string,
): ObservedAddon[] => {
  const wanted = spec.addons ?? [];
  const names = new Set([...wanted.map(({ name }) => name), ...Object.keys(noted)]);
  return [...names].map((name) => {
    const asked = wanted.find((one) => one.name === name);
    const answer = askCloud(read, region, 'DescribeAddon', { clusterName, addonName: name });
    return {
      name,
      wanted: asked,
      preserve: (asked ? asked.preserveOnDelete : noted[name]) === true,
      addon: mapRead(answer, ({ addon }) => addon),
    };
  });
};

interface Where {
  region: string;
  clusterName: string;
  owner: Owner;
}

const conflicts = { overwrite: 'OVERWRITE', none: 'NONE', preserve: 'PRESERVE' } as const;

const inputOf = (clusterName: string, wanted: Wanted) => {
  const { name, version, serviceAccountRoleARN, configuration, conflictResolution } = wanted;
  return {
    clusterName,
    addonName: name,
    addonVersion: version,
    ...(serviceAccountRoleARN && { serviceAccountRoleArn: serviceAccountRoleARN }),
    ...(configuration && { configurationValues: configuration }),
    resolveConflicts: conflicts[conflictResolution ?? 'overwrite'],
  };
};

const differs = ({ version, serviceAccountRoleARN, configuration }: Wanted, addon: EksAddon): boolean =>
  version !== addon.addonVersion ||
  (serviceAccountRoleARN ?? '') !== (addon.serviceAccountRoleArn ?? '') ||
  (configuration ?? '') !== (addon.configurationValues ?? '');

const isBusy = ({ status }: EksAddon): boolean => ['CREATING', 'UPDATING', 'DELETING'].includes(status);

const actionsFor = (
  { region, clusterName, owner }: Where,
  { name, wanted, preserve }: ObservedAddon,
  addon: EksAddon,
): Action[] => {
  if (isBusy(addon)) return [];
  const of = { clusterName, addonName: name };
  if (!wanted) return [callCloud(region, 'DeleteAddon', { ...of, preserve }, evidence(owner))];
  return differs(wanted, addon)
    ? [callCloud(region, 'UpdateAddon', inputOf(clusterName, wanted), evidence(owner))]
    : [];
};

/** Each add-on in a group of its own: a refused one does not keep the others. */
export const planAddons = (where: Where, addons: readonly ObservedAddon[]): PartsPlan => {
  const { region, clusterName, owner } = where;
  const plan: PartsPlan = { actions: [], faults: [], isUnread: false };
  for (const observed of addons) {
    const { name, wanted, addon } = observed;
    const group = `add-on ${name}`;
    if (addon.state === 'unread') plan.isUnread = true;
    else if (addon.state === 'unreadable') plan.faults.push(`${group}: ${addon.reason}`);
    else if (addon.state === 'absent') {
      const tags = tagsOf(owner, { name, role: 'common' });
      if (wanted)
        plan.actions.push({
          ...callCloud(region, 'CreateAddon', { ...inputOf(clusterName, wanted), tags }),
          group,
        });
    } else if (isOurs(addon.value, owner))
      plan.actions.push(...actionsFor(where, observed, addon.value).map((action) => ({ ...action, group })));
    else if (wanted)
      plan.faults.push(`The ${group} exists and was not made for this Cluster: take it from spec.addons`);
  }
  return plan;
};

/** Those that exist, or are going to. */
export const notedAddons = (addons: readonly ObservedAddon[], owner: Owner): Record<string, boolean> =>
  Object.fromEntries(
    addons.flatMap(({ name, wanted, preserve, addon }) => {
      const isGone = addon.state === 'absent' || (addon.state === 'found' && !isOurs(addon.value, owner));
      return wanted || !isGone ? [[name, preserve]] : [];
    }),
  );

/** Whether EKS still works on one of them. */
export const isAddonBusy = ({ addon, wanted }: ObservedAddon): boolean => {
  const it = found(addon);
  return it !== undefined && (isBusy(it) || !wanted);
};

const issuesOf = ({ health }: EksAddon): string =>
  health.issues.map(({ code, message }) => `${code}: ${message}`).join('; ');

/** Undefined without add-ons. `failure`: the last refusal of a call for one of them. */
export const addonsCondition = (
  observed: readonly ObservedAddon[],
  { actions, faults }: PartsPlan,
  failure: string | undefined,
): LegacyDraft | undefined => {
  const addons = observed.filter(({ wanted, addon }) => wanted || addon.state !== 'absent');
  if (addons.length === 0) return undefined;
  const wrong = [...(failure ? [failure] : []), ...faults];
  if (wrong.length > 0) return legacyFalse(addonsConfigured, addonsFailed, 'Error', wrong.join('; '));
  const ill = addons.flatMap(({ name, addon }) => {
    const it = found(addon);
    if (!it || it.status === 'ACTIVE' || isBusy(it)) return [];
    const issues = issuesOf(it);
    return [`Add-on ${name} is ${it.status}${issues && `: ${issues}`}`];
  });
  if (ill.length > 0) return legacyFalse(addonsConfigured, addonsFailed, 'Warning', ill.join('; '));
  const busy = addons.filter((one) => isAddonBusy(one) || one.addon.state === 'absent').map(({ name }) => name);
  return busy.length + actions.length > 0
    ? legacyFalse(addonsConfigured, 'EKSAddonsConfiguring', 'Info', `EKS works on add-on ${busy.join(', ')}`)
    : legacyTrue(addonsConfigured);
};

export const addonsStatus = (addons: readonly ObservedAddon[]): AWSManagedControlPlaneStatus['addons'] =>
  addons.flatMap(({ addon }) => {
    const it = found(addon);
    if (!it) return [];
    return [
      {
        name: it.addonName,
        version: it.addonVersion,
        arn: it.addonArn,
        status: it.status,
        ...(it.serviceAccountRoleArn && { serviceAccountRoleARN: it.serviceAccountRoleArn }),
        createdAt: it.createdAt,
        modifiedAt: it.modifiedAt,
        ...(it.health.issues.length > 0 && { issues: it.health.issues }),
      },
    ];
  });
