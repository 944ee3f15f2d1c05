/** Mocked SDK clients. A mock changes the client's class, which other test files of the same worker share. */
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll } from 'vitest';

/** A mock that ends with the file or the `describe` that it stands in. */
export const mockedClient: typeof mockClient = (client) => {
  const mock = mockClient(client);
  afterAll(() => mock.restore());
  return mock;
};
