// Makes src/lib/api/schema.gen.ts, the types of the controller's OpenAPI document, and client.gen.ts, a function for each of
// its operations; with --check it only says whether they are current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';

const source = new URL('../../app/api/openapi.yaml', import.meta.url);
const header = '// Made by `npm run types` from app/api/openapi.yaml. Do not edit.\n\n';

const schema = await openapiTS(source, {
  alphabetize: true,
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  rootTypesKeepCasing: true
});

/** @typedef {{ name: string, in: string, required?: boolean }} Parameter */
/** @typedef {{ content?: Record<string, { schema?: { $ref?: string } }>, required?: boolean }} Content */
/**
 * @typedef {{ operationId: string, summary: string, parameters?: Parameter[], requestBody?: Content, responses: Record<string, Content> }} Operation
 */

/** One that is asked for with its path, its body, and what else there is. @param {string} path @param {string} method @param {Operation} operation */
function functionOf(path, method, { operationId: id, summary, parameters = [], requestBody, responses }) {
  const of = (/** @type {string} */ place) => parameters.filter((one) => one.in === place);
  const type = Object.keys(Object.values(responses)[0]?.content ?? {})[0];
  const read = type === 'application/json' || !type ? '' : type === 'text/plain' ? 'text' : 'blob';
  const inPath = of('path').map(({ name }) => name);
  const body = requestBody?.content?.['application/json']?.schema?.$ref?.split('/').pop();
  const takes = [
    ...inPath.map((name) => `${name}: Path<'${id}'>['${name}']`),
    ...(body ? [`body: Schemas.${body}${requestBody?.required ? '' : ' = {}'}`] : []),
    ...(of('query').length > 0
      ? [`query: Query<'${id}'>${of('query').some(({ required }) => required) ? '' : ' = {}'}`]
      : []),
    ...(read === 'blob' ? ['headers: Record<string, string> = {}'] : [])
  ];
  const params = [
    ...(inPath.length > 0 ? [`path: { ${inPath.join(', ')} }`] : []),
    ...(of('query').length > 0 ? ['query'] : [])
  ];
  const options = [
    ...(params.length > 0 ? [`params: { ${params.join(', ')} }`] : []),
    ...(body ? ['body'] : []),
    ...(read === 'blob' ? ['headers'] : []),
    ...(read ? [`parseAs: '${read}'`] : [])
  ];
  const given = options.length > 0 ? `, { ${options.join(', ')} }` : '';
  const call = `http.${method.toUpperCase()}('${path}'${given})`;
  return `/** ${summary} */\nexport const ${id} = (${takes.join(', ')}) => ${type ? 'answer' : 'done'}(${call});\n`;
}

const { paths } = /** @type {{ paths: Record<string, Record<string, Operation>> }} */ (
  parse(readFileSync(source, 'utf8'))
);
const functions = Object.entries(paths)
  // The operations on files have one function, and events have their own way.
  .filter(([path]) => path.startsWith('/v1/') && !path.startsWith('/v1/tools/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses = {} }]) => !responses['200']?.content?.['text/event-stream'])
      .map(([method, operation]) => functionOf(path, method, operation))
  );

const made = {
  'schema.gen.ts': astToString(schema),
  'client.gen.ts': `import { answer, done, http } from './request';
import type * as Schemas from './schema.gen';
import type { operations } from './schema.gen';

type Path<K extends keyof operations> = NonNullable<operations[K]['parameters']['path']>;
type Query<K extends keyof operations> = NonNullable<operations[K]['parameters']['query']>;

${functions.join('')}`
};

for (const [name, text] of Object.entries(made)) {
  const target = new URL(`../src/lib/api/${name}`, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(target, header + text);
  else if (readFileSync(target, 'utf8') !== header + text) {
    console.error(`${fileURLToPath(target)} is not what the document says: run "npm run types"`);
    process.exit(1);
  }
}
