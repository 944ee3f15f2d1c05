/** Queues of wake-up messages, two per class of workers, and the dead-letter queue. */
import { Duration, aws_sqs as sqs } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { queue as limits } from './limits.ts';
import { type Names, type Speed, speeds, type WorkerClass, workerClasses } from './names.ts';

export interface Queues {
  deadLetters: sqs.Queue;
  of: Record<WorkerClass, Record<Speed, sqs.Queue>>;
}

const pascal = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Per worker class and speed. */
export const perQueue = <T>(make: (worker: WorkerClass, speed: Speed) => T): Record<WorkerClass, Record<Speed, T>> => {
  const pair = (worker: WorkerClass) => Object.fromEntries(speeds.map((speed) => [speed, make(worker, speed)]));
  return Object.fromEntries(workerClasses.map((worker) => [worker, pair(worker)])) as ReturnType<typeof perQueue<T>>;
};

export const queueId = (worker: WorkerClass, speed: Speed): string => `${pascal(worker)}${pascal(speed)}`;

export const createQueues = (scope: Construct, names: Names): Queues => {
  const common = { encryption: sqs.QueueEncryption.SQS_MANAGED, enforceSSL: true } as const;
  const deadLetters = new sqs.Queue(scope, 'DeadLetters', {
    ...common,
    queueName: names.deadLetters,
    retentionPeriod: Duration.days(14),
  });
  const of = perQueue(
    (worker, speed) =>
      new sqs.Queue(scope, queueId(worker, speed), {
        ...common,
        queueName: names.queue(worker, speed),
        visibilityTimeout: Duration.seconds(limits.visibilitySeconds),
        receiveMessageWaitTime: Duration.seconds(20),
        deadLetterQueue: { queue: deadLetters, maxReceiveCount: limits.maxReceiveCount },
      }),
  );
  return { deadLetters, of };
};
