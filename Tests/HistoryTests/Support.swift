import History
import Series
import Sketch
