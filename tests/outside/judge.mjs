// The TypeScript SDK's client at work: run each step, print what came back as one JSON object.
// Usage: node judge.mjs MODULES PACKAGE FILE COMMAND...
// MODULES is the node_modules directory, PACKAGE "sdk" (version 1) or "client" (version 2); FILE is the file that
// the editor shows. The steps are those of judge.py.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, packageName, file, command, ...args] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/${name}`)).href);

async function newClient() {
  const info = { name: 'judge', version: '1' };
  if (packageName === 'sdk') {
    const { Client } = await load('sdk/client/index.js');
    const { StdioClientTransport } = await load('sdk/client/stdio.js');
    return [new Client(info), StdioClientTransport];
  }
  const { Client } = await load('client');
  const { StdioClientTransport } = await load('client/stdio');
  return [new Client(info, { versionNegotiation: { mode: 'auto' } }), StdioClientTransport];
}

const [client, Transport] = await newClient();
await client.connect(new Transport({ command, args, env: process.env }));

const call = (name, given = {}) => client.callTool({ name, arguments: given });
const read = async (uri) => (await client.readResource({ uri })).contents[0];
const code = (request) => request.then(() => null, (error) => error.code);

const { tools } = await client.listTools();
const { resources } = await client.listResources();
const { resourceTemplates } = await client.listResourceTemplates();
const seen = {
  server: client.getServerVersion()?.name,
  protocol: client.getNegotiatedProtocolVersion?.() ?? null,
  tools: tools.map((tool) => tool.name),
  resources: Object.fromEntries(resources.map((resource) => [resource.uri, resource.mimeType])),
  templates: resourceTemplates.map((template) => template.uriTemplate),
  instances: await read('vim://instances'),
  list: await call('list_vim_instances'),
  before: await read('vim://buffer/current'),
  edit: await call('vim_edit', { file, old_text: 'beta', new_text: 'gamma δ' }),
  after: await read('vim://buffer/current'),
  state: await read('vim://state'),
  echo: await call('vim_execute', { command: 'echo 6 * 7' }),
  search: await call('vim_search', { pattern: '\\<a\\w*a\\>' }),
  navigate: await call('vim_navigate', { direction: 'line', count: 2 }),
  diagnostics: await call('vim_get_diagnostics'),
  refused: await call('vim_execute', { command: '!touch owned' }),
  unknown_instance: await call('select_vim_instance', { instance_id: 'nobody-nowhere-1' }),
  unknown_tool: await code(client.callTool({ name: 'vim_nonsense', arguments: {} })),
  unknown_resource: await code(client.readResource({ uri: 'vim://nonsense' })),
  bad_arguments: await code(client.callTool({ name: 'vim_search', arguments: { pattern: 5 } })),
};
await client.close();
console.log(JSON.stringify(seen));
