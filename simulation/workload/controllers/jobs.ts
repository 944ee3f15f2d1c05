import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { isPodActive, isPodReady, isTrue, type JobObject, type PodObject, withCondition } from '../objects.ts';
import type { ClusterController, Plan, World } from '../world.ts';
import { ownedBy, podOf } from './pods-of.ts';

const reconcile = (job: JobObject, all: PodObject[], world: World, plan: Plan): void => {
  const { now } = world;
  const { completions = 1, parallelism = 1, suspend, template, ttlSecondsAfterFinished: ttl } = job.spec!;
  const { completionTime } = job.status ?? {};
  if (isTrue(job, 'Complete')) {
    const end = Date.parse(completionTime ?? timestamp(now));
    if (ttl !== undefined && plan.reached(end + ttl * 1000, now)) plan.remove('jobs.batch', job);
    return;
  }
  const labels = {
    'batch.kubernetes.io/controller-uid': job.metadata.uid ?? '',
    'batch.kubernetes.io/job-name': job.metadata.name,
    'controller-uid': job.metadata.uid ?? '',
    'job-name': job.metadata.name,
  };
  const own = ownedBy(job, all);
  const active = own.filter(isPodActive);
  const succeeded = own.filter((pod) => pod.status?.phase === 'Succeeded').length;
  const failed = own.filter(
    (pod) => pod.status?.phase === 'Failed' || (pod.metadata.deletionTimestamp && isPodActive(pod)),
  ).length;
  const wanted = suspend ? 0 : Math.min(parallelism, completions - succeeded);
  for (let count = active.length; count < wanted; count++)
    plan.create('pods', podOf(job, `${job.metadata.name}-${world.suffix()}`, template, labels));
  for (const pod of active.slice(wanted)) plan.terminate(pod, now);
  const done = succeeded >= completions;
  const ready = active.filter(isPodReady).length;
  const finished = [
    {
      type: 'SuccessCriteriaMet',
      status: 'True' as const,
      reason: 'CompletionsReached',
      message: 'Reached expected number of succeeded pods',
    },
    {
      type: 'Complete',
      status: 'True' as const,
      reason: 'CompletionsReached',
      message: 'Reached expected number of succeeded pods',
    },
  ];
  const status = {
    ...(!suspend && { startTime: job.status?.startTime ?? timestamp(now) }),
    ...(active.length > 0 && { active: active.length }),
    ...(succeeded > 0 && { succeeded }),
    ...(failed > 0 && { failed }),
    ready,
    ...(done && {
      completionTime: timestamp(now),
      conditions: finished.reduce(
        (list, condition) => withCondition(list, condition, now),
        job.status?.conditions ?? [],
      ),
    }),
  };
  const next: JobObject = {
    ...job,
    spec: {
      ...job.spec!,
      selector: job.spec!.selector ?? { matchLabels: { 'batch.kubernetes.io/controller-uid': job.metadata.uid ?? '' } },
    },
    status,
  };
  if (!equal(next, job)) plan.update('jobs.batch', next);
};

export const jobs: ClusterController = (world, plan) => {
  const pods = world.list<PodObject>('pods');
  for (const job of world.list<JobObject>('jobs.batch'))
    if (!job.metadata.deletionTimestamp && job.spec) reconcile(job, pods, world, plan);
};
