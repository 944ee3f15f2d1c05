/** `capstan dead-letters`: messages that no worker could handle for hours. */
import { Command } from 'commander';
import { installationOf } from '../aws/context.ts';
import type { DeploymentOptions } from '../aws/options.ts';
import { CliError } from '../errors.ts';
import { outputOption, renderItems } from '../output.ts';
import { deployment } from './aws.ts';

/** The maximum number of listed messages. */
const most = 100;

const opened = async (options: DeploymentOptions) => {
  const [{ namesOf }, { SQSClient }, { openSession, settings }, queue] = await Promise.all([
    import('../../cdk/names.ts'),
    import('@aws-sdk/client-sqs'),
    import('../aws/session.ts'),
    import('../dead-letters/queue.ts'),
  ]);
  await openSession(options);
  const queues = new SQSClient(settings);
  return { queue, queues, url: await queue.urlOf(queues, namesOf(installationOf(options.context ?? {})).deadLetters) };
};

export const deadLettersCommand = (): Command => {
  const letters = new Command('dead-letters')
    .description(
      'Messages of a deployed installation that no worker could handle. The sweep does the work that they were about.',
    )
    .exitOverride();
  letters.addCommand(
    deployment('list')
      .description(`What they are about, the first ${most}; they stay.`)
      .addOption(outputOption())
      .action(async ({ output, ...options }: DeploymentOptions & { output?: string }) => {
        const { queue, queues, url } = await opened(options);
        const all = await queue.listLetters(queues, url, most);
        const columns = ['SENT', 'RECEIVED', 'FROM', 'ABOUT', 'ID'];
        console.log(
          renderItems(all, output, columns, ({ id, sent, received, from, about }) => [
            sent,
            String(received),
            from,
            about,
            id,
          ]),
        );
      }),
  );
  letters.addCommand(
    deployment('redrive')
      .description('Give the messages of workers back to their queues; changes that the stream gave up stay.')
      .action(async (options: DeploymentOptions) => {
        const { queue, queues, url } = await opened(options);
        const { systemClock } = await import('../../adapters/memory/clock.ts');
        const { moved, of } = await queue.redriveLetters(queues, url, systemClock);
        const count = of === undefined || of === moved ? `${moved}` : `${moved} of about ${of}`;
        console.log(`SQS has moved ${count} messages back to their queues; workers take them as they come.`);
      }),
  );
  letters.addCommand(
    deployment('purge')
      .description('Delete all of them, for good.')
      .option('--yes', 'delete them')
      .action(async ({ yes, ...options }: DeploymentOptions & { yes?: boolean }) => {
        const { queue, queues, url } = await opened(options);
        const count = await queue.countOf(queues, url);
        if (!yes) throw new CliError(`this permanently deletes about ${count} messages: confirm with --yes`);
        await queue.purgeLetters(queues, url);
        console.log(`About ${count} messages are deleted.`);
      }),
  );
  return letters;
};
