/** The URL of the queue that delivered a message. */
import { sqs } from '../../adapters/aws/lambda/clients.ts';
import { hideOnSqs } from '../../adapters/aws/queue/index.ts';
import type { BaseEnvironment } from '../environment.ts';

const nameOf = (address: string, separator: string): string => address.slice(address.lastIndexOf(separator) + 1);

/** Throws for a queue of another installation. */
export const urlOf =
  ({ QUEUES }: Pick<BaseEnvironment, 'QUEUES'>) =>
  (arn: string): string => {
    const urls = Object.values(QUEUES).flatMap(({ hot, slow }) => [hot, slow]);
    const url = urls.find((one) => nameOf(one, '/') === nameOf(arn, ':'));
    if (url === undefined) throw new Error(`${arn} is no queue of this installation`);
    return url;
  };

export const hideOf = (environment: Pick<BaseEnvironment, 'QUEUES'>) => hideOnSqs(sqs(), urlOf(environment));
