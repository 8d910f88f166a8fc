/** What the window asks of the controller. */
export {
  api,
  ApiFailure,
  files,
  gone,
  isAway,
  problemOf,
  runTool,
  UNFINISHED,
  unfinished,
  whileStill
} from './request';
