/** The replacement of instances whose launch template has changed. Pure. */
import type { AutoScalingGroup, InstanceRefresh, RefreshPreferences } from '../../ports/cloud/index.ts';
import { instancesOf } from './group.ts';
import type { Note, NotedTemplate } from './note.ts';
import type { AWSMachinePoolSpec } from './schema.ts';

export const isActive = ({ Status }: InstanceRefresh): boolean =>
  Status === 'Pending' || Status === 'InProgress' || Status === 'Cancelling';

/** Milliseconds until a refresh that failed is started again for the same template. */
const retryAfter = 3_600_000;
/** Auto Scaling may show a refresh later than it has accepted it. */
const shownWithin = 60_000;

/** Instances of versions that differ from the newest one in more than their bootstrap data. */
export const outdated = (group: AutoScalingGroup, { roll, rolls }: Pick<NotedTemplate, 'roll' | 'rolls'>): string[] =>
  instancesOf(group)
    .filter(({ LifecycleState, LaunchTemplate }) => {
      const version = LaunchTemplate?.Version;
      return !LifecycleState.startsWith('Terminat') && version !== undefined && rolls[version] !== roll;
    })
    .map(({ InstanceId }) => InstanceId);

export type Decision =
  | { do: 'nothing' }
  | { do: 'start'; since: number }
  /** Of another template: it is cancelled before the next one starts. */
  | { do: 'cancel' }
  | { do: 'wait'; refresh?: InstanceRefresh | undefined }
  | { do: 'failed'; refresh: InstanceRefresh; until: number };

export const decideRefresh = (
  { refreshPreferences }: AWSMachinePoolSpec,
  note: Pick<Note, 'template' | 'refresh'>,
  group: AutoScalingGroup,
  /** The newest first. */
  refreshes: readonly InstanceRefresh[],
  now: number,
): Decision => {
  const { template, refresh: last } = note;
  if (!template || refreshPreferences?.disable) return { do: 'nothing' };
  const [newest] = refreshes;
  const isOwn = last?.since === template.since;
  if (newest && isActive(newest)) {
    if (isOwn || newest.Status === 'Cancelling') return { do: 'wait', refresh: newest };
    // A user's own refresh goes on while no instance is outdated.
    const isFormer = last !== undefined && Date.parse(newest.StartTime ?? '') >= last.at - shownWithin;
    const isInTheWay = isFormer || outdated(group, template).length > 0;
    return isInTheWay ? { do: 'cancel' } : { do: 'wait', refresh: newest };
  }
  if (outdated(group, template).length === 0) return { do: 'nothing' };
  if (!isOwn) return { do: 'start', since: template.since };
  const isShown = newest !== undefined && Date.parse(newest.StartTime ?? '') >= last.at - shownWithin;
  if (!isShown) return now - last.at < shownWithin ? { do: 'wait' } : { do: 'start', since: template.since };
  const ended = Date.parse(newest.EndTime ?? newest.StartTime ?? '') || last.at;
  if (now - ended >= retryAfter) return { do: 'start', since: template.since };
  // It left out instances that are protected, for example.
  if (newest.Status === 'Successful') return { do: 'nothing' };
  return { do: 'failed', refresh: newest, until: ended + retryAfter };
};

export const preferencesOf = ({ refreshPreferences }: AWSMachinePoolSpec): RefreshPreferences => ({
  ...(refreshPreferences?.minHealthyPercentage !== undefined && {
    MinHealthyPercentage: refreshPreferences.minHealthyPercentage,
  }),
  ...(refreshPreferences?.maxHealthyPercentage !== undefined && {
    MaxHealthyPercentage: refreshPreferences.maxHealthyPercentage,
  }),
  ...(refreshPreferences?.instanceWarmup !== undefined && { InstanceWarmup: refreshPreferences.instanceWarmup }),
});
