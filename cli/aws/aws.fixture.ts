/** An AWS of the query protocol in this process: answers by action, and remembers what it was asked. */
import { createServer } from 'node:http';

export interface FakeAws {
  /** By action: what is inside of the result, or what the answer fails with. */
  answers: Record<string, string | { code: string; message?: string; status?: number }>;
  asked: Record<string, string>[];
  endpoint: string;
  close(): Promise<void>;
}

export const openAws = async (): Promise<FakeAws> => {
  const fake: Pick<FakeAws, 'answers' | 'asked'> = { answers: {}, asked: [] };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const asked = Object.fromEntries(new URLSearchParams(body));
    fake.asked.push(asked);
    const action = asked.Action ?? '';
    const answer = fake.answers[action] ?? { code: 'InvalidAction', message: `no ${action} here` };
    if (typeof answer === 'string') {
      const result = `<${action}Result>${answer}</${action}Result>`;
      response.writeHead(200, { 'content-type': 'text/xml' }).end(`<${action}Response>${result}</${action}Response>`);
      return;
    }
    const { code, message = 'no', status = 400 } = answer;
    const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
    response.writeHead(status, { 'content-type': 'text/xml' }).end(`<ErrorResponse>${error}</ErrorResponse>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return {
    ...fake,
    endpoint: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export const identity = (arn = 'arn:aws:sts::111122223333:assumed-role/Admin/ann'): string =>
  `<Arn>${arn}</Arn><UserId>AROAEXAMPLE:ann</UserId><Account>111122223333</Account>`;

export interface StackShape {
  name?: string;
  status?: string;
  outputs?: Record<string, string>;
  isProtected?: boolean;
}

export const stacks = (...all: StackShape[]): string => {
  const members = all.map(
    ({ name = 'Capstan-capstan', status = 'CREATE_COMPLETE', outputs = {}, isProtected = false }) => {
      const given = Object.entries(outputs).map(
        ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
      );
      const id = `<StackName>${name}</StackName><StackId>arn:${name}</StackId><StackStatus>${status}</StackStatus>`;
      const guarded = `<EnableTerminationProtection>${isProtected}</EnableTerminationProtection>`;
      return `<member>${id}${guarded}<Outputs>${given.join('')}</Outputs></member>`;
    },
  );
  return `<Stacks>${members.join('')}</Stacks>`;
};

/** Newest first. */
export const events = (...all: { id: string; type?: string; status: string; reason?: string }[]): string => {
  const members = all.map(({ id, type = 'AWS::Lambda::Function', status, reason }, index) => {
    const physical = type === 'AWS::CloudFormation::Stack' ? 'arn:Capstan-capstan' : id;
    const why = reason === undefined ? '' : `<ResourceStatusReason>${reason}</ResourceStatusReason>`;
    return `<member><StackId>arn:Capstan-capstan</StackId><StackName>Capstan-capstan</StackName><EventId>${index} ${id} ${status}</EventId><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${physical}</PhysicalResourceId><ResourceType>${type}</ResourceType><ResourceStatus>${status}</ResourceStatus>${why}</member>`;
  });
  return `<StackEvents>${members.join('')}</StackEvents>`;
};
